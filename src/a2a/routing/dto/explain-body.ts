import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject } from 'class-validator';
import { IsAgentId, MustBe, Nested } from '../../../http/dto-checks.js';
import { IfPresent } from '../../../http/dto-pipe.js';
import { isScope } from '../../../kernel/caller.js';
import { hasAtMostCharacters } from '../../../kernel/characters.js';
import type { AgentId } from '../../../kernel/ids.js';
import type { JsonObject } from '../../../kernel/json.js';

const MAX_SCOPES = 100;
const MAX_TENANT_LENGTH = 255;
const MAX_TEXT_LENGTH = 8000;
const MAX_ID_LENGTH = 255;

/** Somebody who might send the message. */
export class ExplainedCaller {
  @ApiProperty()
  @MustBe('a text of 1 to 255 characters', isName)
  readonly tenant!: string;

  @ApiProperty({ type: [String], maxItems: MAX_SCOPES, description: 'Of the access token' })
  @MustBe(`at most ${MAX_SCOPES} scopes (RFC 6749 section 3.3)`, areScopes)
  readonly scopes!: readonly string[];

  @ApiPropertyOptional({ description: 'The agent that the access token speaks for' })
  @IfPresent()
  @IsAgentId()
  readonly agent?: AgentId;
}

export class ExplainBody {
  @ApiProperty({ description: 'The hosted agent that the message is sent to' })
  @IsAgentId()
  readonly agent!: AgentId;

  @ApiPropertyOptional({
    maxLength: MAX_TEXT_LENGTH,
    description:
      'Stands for a message with this one text part; one of `text`, `message` and `taskId`',
  })
  @IfPresent()
  @MustBe(`a text of 1 to ${MAX_TEXT_LENGTH} characters`, isText)
  readonly text?: string;

  @ApiPropertyOptional({
    maxLength: MAX_ID_LENGTH,
    description:
      'Instead of a message: a task of the agent, for its owner, and for `operator:explain` of the ' +
      'tenant of the agent. Answers what was recorded when its newest message came',
  })
  @IfPresent()
  @MustBe(`a text of 1 to ${MAX_ID_LENGTH} characters`, isId)
  readonly taskId?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'A Message of A2A v1.0, as SendMessage takes it; its task is not looked at',
  })
  @IfPresent()
  @IsObject()
  readonly message?: JsonObject;

  @ApiPropertyOptional({
    type: () => ExplainedCaller,
    description:
      'Instead of the token’s own caller; needs `operator:explain`, of the tenant of the agent',
  })
  @IfPresent()
  @Nested(() => ExplainedCaller)
  readonly caller?: ExplainedCaller;

  @ApiPropertyOptional({
    enum: [true],
    description:
      'Instead of the token’s own caller one without a token; needs `operator:explain`, of the ' +
      'tenant of the agent',
  })
  @IfPresent()
  @IsIn([true])
  readonly anonymous?: true;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && hasAtMostCharacters(value, MAX_TENANT_LENGTH);
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && hasAtMostCharacters(value, MAX_ID_LENGTH);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && hasAtMostCharacters(value, MAX_TEXT_LENGTH);
}

function areScopes(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MAX_SCOPES &&
    value.every((scope) => typeof scope === 'string' && isScope(scope))
  );
}
