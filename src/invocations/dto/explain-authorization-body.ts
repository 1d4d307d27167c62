import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import {
  IsAgentId,
  IsInteractionId,
  IsMoment,
  IsSkillId,
  IsTermsHash,
  MustBe,
  Nested,
} from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { isScope } from '../../kernel/caller.js';
import { hasAtMostCharacters } from '../../kernel/characters.js';
import type { AgentId, InteractionId, SkillId, TermsHash } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Timestamp } from '../../kernel/timestamp.js';

const MAX_SCOPES = 100;
const MAX_NAME_LENGTH = 255;
const NAME = `a text of 1 to ${MAX_NAME_LENGTH} characters`;

/** Somebody who might call. */
export class AssumedCaller {
  @ApiProperty({ maxLength: MAX_NAME_LENGTH, description: '`sub` of the access token' })
  @MustBe(NAME, isName)
  readonly principal!: string;

  @ApiProperty({ maxLength: MAX_NAME_LENGTH })
  @MustBe(NAME, isName)
  readonly tenant!: string;

  @ApiProperty({ type: [String], maxItems: MAX_SCOPES, description: 'Of the access token' })
  @MustBe(`at most ${MAX_SCOPES} scopes (RFC 6749 section 3.3)`, areScopes)
  readonly scopes!: readonly string[];

  @ApiPropertyOptional({ type: String, description: 'The agent that the access token speaks for' })
  @IfPresent()
  @IsAgentId()
  readonly agent?: AgentId;

  @ApiPropertyOptional({ maxLength: MAX_NAME_LENGTH, description: 'The OAuth client' })
  @IfPresent()
  @MustBe(NAME, isName)
  readonly client?: string;
}

/** Which call is asked about: whose, of what, under which contract, when. */
export class ExplainAuthorizationBody {
  @ApiProperty({ type: String, description: 'The hosted agent' })
  @IsAgentId()
  readonly agentId!: AgentId;

  @ApiProperty({ type: String })
  @IsSkillId()
  readonly skillId!: SkillId;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Of a direct invoke; checked against the input schema beside the decision',
  })
  @IfPresent()
  @IsObject()
  readonly arguments?: JsonObject;

  @ApiPropertyOptional({ type: String, description: 'The contract that the message names' })
  @IfPresent()
  @IsInteractionId()
  readonly interactionId?: InteractionId;

  @ApiPropertyOptional({ type: String, description: 'Only beside `interactionId`' })
  @IfPresent()
  @IsTermsHash()
  readonly termsHash?: TermsHash;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description:
      'A moment of the past: everything as it had been recorded by then, the caller and the setting ' +
      '`VOCABULARY` as they are now. Without it: now',
  })
  @IfPresent()
  @IsMoment()
  readonly at?: Timestamp;

  @ApiPropertyOptional({
    type: () => AssumedCaller,
    description:
      'Instead of the token’s own caller; needs `operator:explain`, of the tenant of the agent',
  })
  @IfPresent()
  @Nested(() => AssumedCaller)
  readonly caller?: AssumedCaller;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && hasAtMostCharacters(value, MAX_NAME_LENGTH);
}

function areScopes(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MAX_SCOPES &&
    value.every((scope) => typeof scope === 'string' && isScope(scope))
  );
}
