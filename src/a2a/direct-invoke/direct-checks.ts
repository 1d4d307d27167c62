import type { Capability } from '../../capabilities/domain/capability.js';
import type { DirectInvoke } from '../../capabilities/domain/manifest.js';
import type { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { AuthorizationRefusal } from '../../invocations/domain/authorization.js';
import { contractRefusal, type ContractCode } from '../turns/authorization-refusals.js';
import type { SkillId } from '../../kernel/ids.js';
import type { JsonPointer } from '../../kernel/json.js';
import { acceptedModes, jsonModes } from '../routing/media-types.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { DirectCall } from './direct-call.js';
import { directRefusal, faultsBelow, type CallIds } from './direct-refusal.js';

/**
 * There is none, or none for this caller: the two must not be told apart, so this says nothing of
 * the skill.
 * @param replacement of a removed skill, for callers that would be entitled to it
 */
export function skillNotFound(call: CallIds, replacement: SkillId | null = null): A2aRefusal {
  const detail = 'There is no skill of this id that you may use.';
  return directRefusal('SKILL_NOT_FOUND', detail, call, {
    ...(replacement === null ? {} : { metadata: { replacement } }),
  });
}

/** RFC section 5, `SKILL_NOT_BOUND`: its manifest has no `direct_invoke`. */
export function skillNotBound(call: DirectCall): A2aRefusal {
  const detail = 'The skill cannot be invoked directly: send it a message without the extension.';
  return directRefusal('SKILL_NOT_BOUND', detail, call);
}

/** RFC section 5, `UNAUTHORIZED`: no token, and its manifest does not allow that (section 4). */
export function unauthorized(call: DirectCall): A2aRefusal {
  return directRefusal('UNAUTHORIZED', 'The skill is for callers with a token.', call);
}

/**
 * Why the call is not authorized, in the words in which routed messages are told; the inner code and
 * what else its caller may know stand in the metadata.
 */
export function forbidden(
  call: DirectCall,
  refusal: AuthorizationRefusal & { readonly code: ContractCode },
): A2aRefusal {
  const { code, detail, metadata } = contractRefusal(call.skillId, refusal, true);
  return directRefusal('FORBIDDEN', detail, call, {
    ...(code === undefined ? {} : { refusal: code }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

/** Keys are per caller, and callers without a token cannot be told apart. */
export function keyOfNobody(call: DirectCall, payload: JsonPointer): A2aRefusal {
  const fault = { pointer: `${payload}/idempotencyKey`, detail: 'is for callers with a token' };
  const detail = 'A key means nothing without a token: nobody could be told whose it is.';
  return directRefusal('INVALID_METADATA', detail, call, { faults: [fault] });
}

/** RFC section 5, `BACKEND_NOT_FOUND`: the deployment binds none to the manifest's handler. */
export function backendNotFound(call: DirectCall): A2aRefusal {
  const detail = 'The skill has no backend where the call arrived; nothing was run.';
  return directRefusal('BACKEND_NOT_FOUND', detail, call);
}

/**
 * Checks the arguments against the input schema.
 * @param payload where the payload stands
 */
export function argumentsRefusal(
  schemas: SchemaJudges,
  { inputSchema }: DirectInvoke,
  call: DirectCall,
  payload: JsonPointer,
): A2aRefusal | undefined {
  const judge = schemas.of(inputSchema);
  const found = judge?.faults(call.arguments) ?? [{ pointer: '', detail: 'cannot be checked' }];
  if (found.length === 0) return undefined;
  const detail = 'The arguments do not fit the input schema of the skill.';
  return directRefusal('INVALID_ARGUMENTS', detail, call, {
    faults: faultsBelow(`${payload}/arguments`, found),
  });
}

/**
 * The media types in which the result may come, the expected one alone if there is one; never empty.
 *
 * Refuses with `INVALID_ARGUMENTS` when nobody produces the expected one, and with
 * ContentTypeNotSupported `output-modes-unmet` when the client accepts none (A2A v1.0 section 5.4).
 */
export function outputModesOf(
  { manifest }: Capability,
  call: DirectCall,
  accepted: readonly string[] | undefined,
  payload: JsonPointer,
): Result<readonly string[], A2aRefusal> {
  const produced = jsonModes(manifest.skill.outputModes);
  const { expectedOutputMode } = call;
  if (expectedOutputMode !== null && !produced.includes(expectedOutputMode)) {
    const fault = { pointer: `${payload}/expectedOutputMode`, detail: 'is not produced' };
    const detail = 'The skill produces no result of the expected media type.';
    return err(directRefusal('INVALID_ARGUMENTS', detail, call, { faults: [fault] }));
  }
  const modes = acceptedModes(
    expectedOutputMode === null ? produced : [expectedOutputMode],
    accepted,
  );
  if (modes.length > 0) return ok(modes);
  return err({
    error: 'ContentTypeNotSupported',
    code: 'output-modes-unmet',
    detail: 'A direct invoke of the skill gives none of the media types in acceptedOutputModes.',
    metadata: { skillId: manifest.id, outputModes: produced.join(', ') },
  });
}
