import type { Json, JsonObject } from '../../../src/kernel/json.js';

/** One thing that the scripted agent does. */
export type Step =
  | 'working'
  | 'completed'
  | 'failed'
  | 'rejected'
  | 'input-required'
  | 'auth-required'
  /** An artifact with this text, under an id of its own. */
  | { readonly say: string }
  /** A message instead of a task. */
  | { readonly answer: string }
  /** Silence, in milliseconds. */
  | { readonly wait: number }
  /** Silence until this file exists. */
  | { readonly until: string }
  /** The same, whatever the signal says. */
  | { readonly stubbornUntil: string };

/** What a message to the scripted agent asks for. */
export interface Script {
  readonly steps: readonly Step[];
  /** A file in which every run leaves a line when it begins, and one when it ends. */
  readonly journal: string | null;
}

let count = 0;

/** Params of a message that plays a script; `more` goes into the message. */
export function playing(
  steps: readonly Step[],
  { journal = null, ...more }: { readonly journal?: string | null } & JsonObject = {},
): JsonObject {
  count++;
  const messageId = `script-${String(count)}-${String(process.pid)}`;
  const script = { steps, journal } as unknown as Json;
  return {
    message: { messageId, role: 'ROLE_USER', parts: [{ data: script }], ...more },
  };
}
