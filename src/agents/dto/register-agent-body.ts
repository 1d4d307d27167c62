import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsIn, IsString, ValidateNested } from 'class-validator';
import { IfPresent } from '../../http/dto-pipe.js';
import type { AcceptanceMethod } from '../../kernel/federated-interaction.js';
import { ID_FORM } from '../../kernel/ids.js';
import { MAX_CLIENTS, MAX_KEYS } from '../domain/limits.js';
import { ACCEPTANCE_METHODS } from '../domain/methods.js';
import { IsName, IsNameList } from './checks.js';
import { SubmittedKey } from './submitted-key.js';
import {
  HostedMember,
  TransportMember,
  type SubmittedTransport,
  type TransportMembers,
} from './submitted-transport.js';

export class RegisterAgentBody implements TransportMembers {
  @ApiProperty({
    pattern: `^${ID_FORM}$`,
    description: 'Free, and taken for ever',
  })
  @IsString()
  readonly agentId!: string;

  @ApiPropertyOptional({
    description: 'The owning principal; another than the caller’s needs `agents:admin`',
  })
  @IfPresent()
  @IsName()
  readonly owner?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_CLIENTS,
    description: 'OAuth client ids whose tokens may act for the agent',
  })
  @IfPresent()
  @IsNameList(MAX_CLIENTS)
  readonly clients?: readonly string[];

  @ApiPropertyOptional({ type: () => [SubmittedKey], maxItems: MAX_KEYS })
  @IfPresent()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SubmittedKey)
  readonly keys?: SubmittedKey[];

  @ApiPropertyOptional({
    enum: ACCEPTANCE_METHODS,
    isArray: true,
    description: 'Default: `ed25519` with keys, else `oauth_installation` and `oauth_account`',
  })
  @IfPresent()
  @IsArray()
  @IsIn(ACCEPTANCE_METHODS, { each: true })
  readonly methods?: readonly AcceptanceMethod[];

  @TransportMember()
  readonly transport?: SubmittedTransport;

  @HostedMember()
  readonly hosted?: true;
}
