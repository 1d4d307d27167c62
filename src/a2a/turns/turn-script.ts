import { weightOfParts } from '../tasks/domain/weight.js';
import type { TaskChange } from '../tasks/domain/task.js';
import type { Part, TaskState } from '../wire/types.js';
import type { HandlerEvent } from '../handlers/capability-call.js';
import { MAX_SAID } from '../handlers/handler-event.js';

/** How a turn ends. */
export type TurnEnding = Exclude<HandlerEvent, { readonly kind: 'working' | 'artifact' }>;

const ENDING_STATES = {
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
} as const satisfies Record<Exclude<TurnEnding['kind'], 'message'>, TaskState>;

/** Events of one turn; a handler that says more than that is broken. */
const MAX_EVENTS = 10_000;

/**
 * Puts the events of a handler in the order in which they may be said: anything while it works, one
 * ending, nothing after; a message alone. Throws nothing; what breaks the rules is a text.
 */
export class TurnScript {
  #count = 0;
  #weight = 0;
  #ending: TurnEnding | undefined;

  /** What the handler said last, when it ends the turn. */
  get ending(): TurnEnding | undefined {
    return this.#ending;
  }

  /** The change that an event makes, null for an ending; or what is wrong with it. */
  read(event: HandlerEvent): TaskChange | null | { readonly broken: string } {
    this.#count += 1;
    if (this.#ending !== undefined) return broken(`${event.kind} after ${this.#ending.kind}`);
    if (this.#count > MAX_EVENTS) return broken(`more than ${MAX_EVENTS} events`);
    this.#weight += weightOf(event);
    if (this.#weight > MAX_SAID) return broken(`more than ${MAX_SAID} characters`);
    switch (event.kind) {
      case 'working':
        return { kind: 'status', state: 'TASK_STATE_WORKING', ...partsOf(event.parts) };
      case 'artifact': {
        const { artifact, append = false, lastChunk = false } = event;
        return { kind: 'artifact', artifact, append, lastChunk };
      }
      case 'message':
        return this.#count > 1 ? broken('a message after other events') : this.#end(event);
      case 'completed':
      case 'failed':
      case 'rejected':
      case 'input-required':
      case 'auth-required':
        return this.#end(event);
    }
  }

  #end(event: TurnEnding): null {
    this.#ending = event;
    return null;
  }
}

/** A change that ends a turn. */
export type EndingChange = Extract<TaskChange, { readonly kind: 'status' | 'answer' }>;

/** The change with which a turn ends. An answer is only for who has not been shown the task. */
export function endingChange(ending: TurnEnding, isShown: boolean): EndingChange {
  if (ending.kind === 'message') {
    return isShown
      ? { kind: 'status', state: 'TASK_STATE_COMPLETED', parts: ending.parts }
      : { kind: 'answer', parts: ending.parts };
  }
  const { kind, parts, metadata } = ending;
  const isUnknown = ending.kind === 'failed' && ending.isUnknown === true;
  return {
    kind: 'status',
    state: ENDING_STATES[kind],
    ...partsOf(parts),
    ...(metadata === undefined ? {} : { metadata }),
    ...(isUnknown ? { outcome: 'outcome-unknown' } : {}),
  };
}

function weightOf(event: HandlerEvent): number {
  return weightOfParts(event.kind === 'artifact' ? event.artifact.parts : (event.parts ?? []));
}

function broken(how: string): { readonly broken: string } {
  return { broken: how };
}

function partsOf(parts: readonly Part[] | undefined): { readonly parts?: readonly Part[] } {
  return parts === undefined || parts.length === 0 ? {} : { parts };
}
