import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const HASH = { description: 'base64url of 32 bytes' };
const NOTE = { description: 'Signed note (c2sp.org/tlog-checkpoint), cosignatures included' };
const VERIFIER_KEY = { description: 'c2sp.org/signed-note, section “Verifier keys”' };
const PROOF = { type: String, isArray: true, description: 'base64url of 32 bytes each' };

export class LogKeyDocument {
  @ApiProperty({ description: 'As in /v1/platform-keys' })
  readonly keyId!: string;

  @ApiProperty(VERIFIER_KEY)
  readonly verifierKey!: string;

  @ApiProperty({ format: 'date-time', description: 'Begin of the window, inclusive' })
  readonly from!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'End of the window, exclusive; null while the key may sign',
  })
  readonly until!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly revoked!: string | null;
}

export class CosignedDocument {
  @ApiProperty({ description: 'Leaves of the newest checkpoint that the witness has cosigned' })
  readonly size!: number;

  @ApiProperty({ format: 'date-time', description: 'By the clock of the witness' })
  readonly cosignedAt!: string;
}

export class WitnessDocument {
  @ApiProperty()
  readonly name!: string;

  @ApiProperty(VERIFIER_KEY)
  readonly verifierKey!: string;

  @ApiProperty({ type: CosignedDocument, nullable: true })
  readonly newest!: CosignedDocument | null;
}

export class CheckpointDocument {
  @ApiProperty({ description: 'Leaves' })
  readonly size!: number;

  @ApiProperty(HASH)
  readonly rootHash!: string;

  @ApiProperty({ description: 'Of the platform key that signed' })
  readonly keyId!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was recorded' })
  readonly signedAt!: string;

  @ApiProperty(NOTE)
  readonly note!: string;
}

export class LogDocument {
  @ApiProperty({ description: 'First line of every checkpoint, and the name of the keys' })
  readonly origin!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of the key that signs now; null when none does',
  })
  readonly verifierKey!: string | null;

  @ApiProperty({ type: CheckpointDocument, nullable: true, description: 'The newest one' })
  readonly checkpoint!: CheckpointDocument | null;

  @ApiProperty({ type: [LogKeyDocument], description: 'Every key that ever signed checkpoints' })
  readonly keys!: readonly LogKeyDocument[];

  @ApiProperty({ type: [WitnessDocument] })
  readonly witnesses!: readonly WitnessDocument[];
}

export class CheckpointPage {
  @ApiProperty({ type: [CheckpointDocument], description: 'The newest first' })
  readonly checkpoints!: readonly CheckpointDocument[];

  @ApiPropertyOptional({ description: 'Absent on the last page' })
  readonly nextCursor?: string;
}

export class InclusionProofDocument {
  @ApiProperty({ description: 'Of the leaf, from 0' })
  readonly index!: number;

  @ApiProperty({ description: 'Leaves of the tree' })
  readonly size!: number;

  @ApiProperty(HASH)
  readonly leafHash!: string;

  @ApiProperty(HASH)
  readonly rootHash!: string;

  @ApiProperty({ ...PROOF, description: 'RFC 6962 section 2.1.1; base64url of 32 bytes each' })
  readonly proof!: readonly string[];
}

export class ConsistencyProofDocument {
  @ApiProperty({ description: 'Leaves of the earlier tree' })
  readonly from!: number;

  @ApiProperty({ description: 'Leaves of the later tree' })
  readonly to!: number;

  @ApiProperty(HASH)
  readonly fromRootHash!: string;

  @ApiProperty(HASH)
  readonly toRootHash!: string;

  @ApiProperty({ ...PROOF, description: 'RFC 6962 section 2.1.2; base64url of 32 bytes each' })
  readonly proof!: readonly string[];
}

export class CosignedNoteDocument {
  @ApiProperty(NOTE)
  readonly note!: string;
}
