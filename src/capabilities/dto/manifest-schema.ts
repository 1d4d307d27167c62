import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { ID_FORM } from '../../kernel/ids.js';
import { MANIFEST_BOUNDS as BOUNDS } from '../domain/manifest-bounds.js';

const ID = `^${ID_FORM}$`;
const MODES = {
  type: [String],
  minItems: 1,
  maxItems: BOUNDS.modes,
  description: '`type/subtype` or `type/*`, without parameters',
} satisfies ApiPropertyOptions;
const PATTERNS =
  'Patterns are matched in linear time: without references to groups and without looking around.';
const OBJECT = { type: 'object', additionalProperties: true } satisfies ApiPropertyOptions;

/** The skill as cards show it. */
export class SkillSchema {
  @ApiProperty({ maxLength: BOUNDS.name })
  readonly name!: string;

  @ApiProperty({ maxLength: BOUNDS.description })
  readonly description!: string;

  @ApiProperty({ type: [String], minItems: 1, maxItems: BOUNDS.tags })
  readonly tags!: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: BOUNDS.examples,
    description: 'Messages that are meant for it: what routing learns from',
  })
  readonly examples?: readonly string[];

  @ApiProperty(MODES)
  readonly inputModes!: readonly string[];

  @ApiProperty(MODES)
  readonly outputModes!: readonly string[];
}

/** Both in letters, digits, spaces, dots, dashes and underscores. */
export class BackendSummarySchema {
  @ApiProperty({ maxLength: 100, example: 'in-process' })
  readonly type!: string;

  @ApiPropertyOptional({ maxLength: 100, example: 'ledger' })
  readonly name?: string;
}

export class DirectInvokeSchema {
  @ApiProperty({ ...OBJECT, description: `JSON Schema 2020-12 of the arguments. ${PATTERNS}` })
  readonly input_schema!: object;

  @ApiProperty({ ...OBJECT, description: 'JSON Schema 2020-12 of the result' })
  readonly output_schema!: object;

  @ApiProperty({
    type: () => BackendSummarySchema,
    description: 'What the card says of the backend',
  })
  readonly backend!: BackendSummarySchema;

  @ApiPropertyOptional({ default: false })
  readonly allow_unauthenticated?: boolean;
}

/** Describes the document that `parse-manifest.ts` reads; it alone judges. */
export class ManifestSchema {
  @ApiProperty({ pattern: ID, description: 'Of the skill; taken for ever' })
  readonly id!: string;

  @ApiPropertyOptional({ pattern: ID, description: 'Default: the deployment’s first agent' })
  readonly agentId?: string;

  @ApiProperty({ enum: ['preview', 'ga', 'deprecated', 'removed'] })
  readonly state!: string;

  @ApiProperty({ enum: ['public', 'extended', 'internal'] })
  readonly visibility!: string;

  @ApiProperty({ type: () => SkillSchema })
  readonly skill!: SkillSchema;

  @ApiProperty({ type: [String], maxItems: BOUNDS.scopes, description: 'All of them are needed' })
  readonly requires_scopes!: readonly string[];

  @ApiProperty({
    oneOf: [
      { type: 'string', enum: ['*'] },
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: BOUNDS.tenants },
    ],
  })
  readonly tenants!: '*' | readonly string[];

  @ApiProperty({ maxLength: BOUNDS.identifier, description: 'Name of the implementation' })
  readonly handler!: string;

  @ApiPropertyOptional({
    ...OBJECT,
    description:
      '`max_message_bytes`, `max_parts`, `max_execution_seconds`, `max_concurrent` and ' +
      '`max_calls_per_minute` (of one caller under one contract) are enforced; ' +
      'others are handed to the handler',
  })
  readonly limits?: object;

  @ApiProperty({ maxLength: BOUNDS.identifier })
  readonly owner!: string;

  @ApiPropertyOptional({ pattern: ID, description: 'Of a deprecated or removed one' })
  readonly replacement?: string;

  @ApiPropertyOptional({ default: false, description: 'Calls need a contract in force' })
  readonly requires_contract?: boolean;

  @ApiPropertyOptional({ description: 'What a contract must allow' })
  readonly action?: string;

  @ApiPropertyOptional({ type: [String], description: 'The data that a contract must allow' })
  readonly data?: readonly string[];

  @ApiPropertyOptional({ enum: ['initiator', 'any-party'], default: 'initiator' })
  readonly callers?: string;

  @ApiPropertyOptional({ type: () => DirectInvokeSchema })
  readonly direct_invoke?: DirectInvokeSchema;
}
