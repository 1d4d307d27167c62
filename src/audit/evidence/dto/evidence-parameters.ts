import { ApiPropertyOptional } from '@nestjs/swagger';
import { MustBe } from '../../../http/dto-checks.js';
import { IfPresent } from '../../../http/dto-pipe.js';

/** Query parameters of an evidence bundle: texts, as an address has them. */
export class EvidenceParameters {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description:
      'With `false` the bundle holds neither the document nor the data key: whoever gets it can check ' +
      'order, signatures over hashes and inclusion, and reads no word of the terms. Default `true`',
  })
  @IfPresent()
  @MustBe('true or false', (value) => value === 'true' || value === 'false')
  readonly texts?: 'true' | 'false';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description:
      'Size of an earlier checkpoint that the reader keeps: the bundle then proves that the log of ' +
      'its own checkpoint extends that one. `beyond-checkpoint` when the log is smaller',
  })
  @IfPresent()
  @MustBe(
    'the size of an earlier checkpoint, from 1',
    (value) => typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value),
  )
  readonly consistentFrom?: string;
}
