import { ApiProperty } from '@nestjs/swagger';
import type { Plain } from '../../../http/plain.js';
import type { AgentId } from '../../../kernel/ids.js';
import { MAX_RECORDED, ROUTING_LAYERS } from '../decision.js';
import type { Explanation, RoutedTask } from '../explanations.js';
import { MAX_EXPLAINED } from '../routing-step.js';

class ExplainedCandidate {
  @ApiProperty()
  readonly skillId!: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'null: the layer only lets it pass',
  })
  readonly confidence!: number | null;
}

class ExplainedStep {
  @ApiProperty({ enum: ['entitlement', ...ROUTING_LAYERS] })
  readonly layer!: string;

  @ApiProperty({
    enum: ['decided', 'narrowed', 'passed'],
    description: '`narrowed`: these candidates are left; `passed`: the next layer is asked',
  })
  readonly outcome!: string;

  @ApiProperty()
  readonly reason!: string;

  @ApiProperty({ type: () => [ExplainedCandidate], maxItems: MAX_EXPLAINED })
  readonly candidates!: readonly ExplainedCandidate[];

  @ApiProperty({ type: 'integer', description: 'How many candidates there are' })
  readonly total!: number;
}

class RecordedCandidate {
  @ApiProperty()
  readonly skillId!: string;

  @ApiProperty({ minimum: 0, maximum: 1 })
  readonly confidence!: number;
}

class RecordedRouting {
  @ApiProperty({ type: () => [RecordedCandidate], description: 'What the layer thought of them' })
  readonly candidates!: readonly RecordedCandidate[];

  @ApiProperty({
    type: [String],
    maxItems: MAX_RECORDED,
    description: 'The first of those that came into question at all',
  })
  readonly considered!: readonly string[];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many came into question; null: recorded before that was',
  })
  readonly total!: number | null;
}

class ExplainedRefusal {
  @ApiProperty({ description: 'An error of A2A v1.0', example: 'ContentTypeNotSupported' })
  readonly error!: string;

  @ApiProperty({ type: String, nullable: true, example: 'input-modes-unmet' })
  readonly code!: string | null;

  @ApiProperty()
  readonly detail!: string;
}

/** What would become of a message, and why. Names only what its caller may know. */
export class ExplanationDocument {
  @ApiProperty()
  readonly agent!: string;

  @ApiProperty({
    enum: ['routed', 'clarify', 'removed', 'refused'],
    description: '`clarify`: its sender would be asked which skill is meant',
  })
  readonly decision!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The layer that decided' })
  readonly layer!: string | null;

  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  readonly confidence!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Of `routed` and `removed`' })
  readonly skillId!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Of `removed`, if there is one' })
  readonly replacement!: string | null;

  @ApiProperty({ type: [String], description: 'What the question of `clarify` would name' })
  readonly among!: readonly string[];

  @ApiProperty({ type: () => ExplainedRefusal, nullable: true })
  readonly refusal!: ExplainedRefusal | null;

  @ApiProperty({ type: () => [ExplainedStep], description: 'In the order of the layers' })
  readonly steps!: readonly ExplainedStep[];

  @ApiProperty({ type: () => RecordedRouting, nullable: true, description: 'Of a task alone' })
  readonly recorded!: RecordedRouting | null;
}

const NOTHING = {
  layer: null,
  confidence: null,
  skillId: null,
  replacement: null,
  among: [],
  refusal: null,
  steps: [],
  recorded: null,
} as const;

export function explanationDocument(
  agent: AgentId,
  { outcome, steps }: Explanation,
): Plain<ExplanationDocument> {
  if (!outcome.ok) {
    const { error, code = null, detail } = outcome.error;
    return { agent, decision: 'refused', ...NOTHING, refusal: { error, code, detail }, steps };
  }
  const { kind: decision, record, ...rest } = outcome.value;
  const { layer, confidence } = record;
  return { agent, decision, ...NOTHING, layer, confidence, ...rest, steps };
}

/** What was recorded on a task. */
export function recordedDocument(
  agent: AgentId,
  { skillId, routing }: RoutedTask,
): Plain<ExplanationDocument> {
  const decision = skillId === null ? 'clarify' : 'routed';
  if (routing === null) return { agent, decision, ...NOTHING, skillId };
  const { layer, confidence, candidates, considered } = routing;
  const recorded = {
    candidates,
    considered: considered?.skillIds ?? [],
    total: considered?.total ?? null,
  };
  return { agent, decision, ...NOTHING, layer, confidence, skillId, recorded };
}
