import { weightOfParts } from '../tasks/domain/weight.js';
import type { TaskChange } from '../tasks/domain/task.js';
import type { Part, TaskState } from '../wire/types.js';
import type { HandlerEvent } from './capability-call.js';

/** How a turn ends. */
export type TurnEnding = Exclude<HandlerEvent, { readonly kind: 'working' | 'artifact' }>;

const ENDING_STATES = {
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  rejected: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
} as const satisfies Record<Exclude<TurnEnding['kind'], 'message'>, TaskState>;

/** Events of one turn, and characters in them; a handler that says more than that is broken. */
const MAX_EVENTS = 10_000;
const MAX_WEIGHT = 8 * 1024 * 1024;

/**
 * Reads what a handler says, in the order in which it may be said: anything while it works, one
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
    if (this.#weight > MAX_WEIGHT) return broken(`more than ${MAX_WEIGHT} characters`);
    switch (event.kind) {
      case 'working':
        return areParts(event.parts ?? [])
          ? { kind: 'status', state: 'TASK_STATE_WORKING', ...partsOf(event.parts) }
          : broken('working with an invalid part');
      case 'artifact':
        return this.#artifact(event);
      case 'message':
        if (this.#count > 1) return broken('a message after other events');
        if (event.parts.length === 0 || !areParts(event.parts)) return broken('an invalid message');
        return this.#end(event);
      case 'completed':
      case 'failed':
      case 'rejected':
      case 'input-required':
      case 'auth-required':
        return areParts(event.parts ?? [])
          ? this.#end(event)
          : broken(`${event.kind} with an invalid part`);
    }
    // Handlers may be plain JavaScript.
    return broken('an unknown kind of event');
  }

  #end(event: TurnEnding): null {
    this.#ending = event;
    return null;
  }

  #artifact(
    event: Extract<HandlerEvent, { kind: 'artifact' }>,
  ): TaskChange | { readonly broken: string } {
    const { artifactId, parts } = event.artifact;
    if (typeof artifactId !== 'string' || artifactId === '')
      return broken('an artifact without id');
    if (parts.length === 0 || !areParts(parts)) return broken('an artifact with invalid parts');
    const { artifact, append = false, lastChunk = false } = event;
    return { kind: 'artifact', artifact, append, lastChunk };
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

function areParts(parts: readonly Part[]): boolean {
  return parts.every(
    ({ text, raw, url, data }) =>
      [text, raw, url, data].filter((content) => content !== undefined).length === 1,
  );
}
