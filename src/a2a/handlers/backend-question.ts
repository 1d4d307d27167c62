import type { SchemaJudge } from '../../capabilities/queries/schemas/schema-judge.js';
import type {
  Backend,
  BackendCall,
  BackendFailure,
  BackendFailureCode,
} from '../../invocations/commands/backends.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import type { Reporter } from '../../kernel/reporter.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { scopesOf } from './call-token.js';
import type { CapabilityCall, HandlerEvent } from './capability-call.js';

/** What a backend is asked, besides the call that is admitted for it. */
export interface BackendQuestion {
  readonly backend: Backend;
  /** Valid under the capability's input schema. */
  readonly arguments: JsonObject;
  readonly traceId: string | null;
  readonly traceparent: string | null;
  /** By the output schema; null when that does not compile: then nothing fits. */
  readonly output: SchemaJudge | null;
  /** For operators alone: what the backend said of its failure. */
  readonly report: Reporter;
}

/** Why a backend that was asked gave no output. */
export interface NoOutput {
  readonly code: 'BACKEND_UNAVAILABLE' | 'BACKEND_FAILED' | 'OUTPUT_INVALID';
  /** The inner code, null when the outer one says it all. */
  readonly refusal: BackendFailureCode | null;
  /** All that a caller is told: what a backend says of itself is not for callers. */
  readonly text: string;
  /** Nobody knows what was done. */
  readonly isUnknown: boolean;
  readonly retryAfterSeconds?: number;
}

/** The call as the backend gets it, with no more rights than the caller has. */
export function backendCall(
  { caller, grant, signal }: CapabilityCall,
  { arguments: given, traceId, traceparent }: BackendQuestion,
): BackendCall {
  const { agentId, id: skillId } = grant.manifest;
  return {
    invocationId: grant.invocationId,
    agentId,
    skillId,
    arguments: given,
    caller,
    scopes: scopesOf(grant.manifest, caller),
    terms: grant.terms,
    traceId,
    traceparent,
    deadline: grant.deadline,
    signal,
  };
}

/** What the backend answered, if it is an output. */
export function outputIn(
  admitted: CapabilityCall,
  { output, report }: BackendQuestion,
  answer: Result<Json, BackendFailure>,
): Result<Json, NoOutput> {
  const tell = (line: string, about: Readonly<Record<string, unknown>>): void => {
    const { invocationId, manifest } = admitted.grant;
    const { handler, agentId, id: skillId } = manifest;
    report(line, { invocationId, agentId, skillId, handler, ...about });
  };
  if (!answer.ok) return err(failureOf(answer.error, tell));
  if (output?.fits(answer.value) === true) return ok(answer.value);
  // Pointers and no values: what does not fit may be anything.
  tell('output does not fit its schema', {
    faults: output?.faults(answer.value) ?? 'the schema does not compile',
  });
  return err({ code: 'OUTPUT_INVALID', refusal: null, text: SENTENCES.unfit, isUnknown: false });
}

/** Where the output stands (RFC skill-direct-invoke, section 3.6). */
const ARTIFACT_ID = 'result';

/** The output as an artifact, in the first media type that the caller accepts. */
export function artifactOf({ grant }: CapabilityCall, output: Json): HandlerEvent {
  const [mediaType = 'application/json'] = grant.outputModes;
  const parts = [{ data: output, mediaType }];
  return { kind: 'artifact', artifact: { artifactId: ARTIFACT_ID, parts }, lastChunk: true };
}

function failureOf(error: BackendFailure, tell: Reporter): NoOutput {
  const { kind, detail, retryAfterSeconds } = error;
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  if (kind === 'failed') {
    tell('backend failed', { detail });
    const text = SENTENCES.failed;
    return { code: 'BACKEND_FAILED', refusal: null, text, isUnknown: false, ...retry };
  }
  const { code: refusal, isUnknown } = error;
  tell('backend unavailable', { code: refusal, detail });
  const text = isUnknown ? SENTENCES.unknown : SENTENCES.unavailable;
  return { code: 'BACKEND_UNAVAILABLE', refusal, text, isUnknown, ...retry };
}

const SENTENCES = {
  unavailable: 'The backend of the skill is not available; nothing was done.',
  unknown: 'The backend of the skill gave no answer; what it was asked for may have been done.',
  failed: 'The backend of the skill has failed.',
  unfit: 'What the backend answered does not fit the output schema of the skill.',
} as const;
