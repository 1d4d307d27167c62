import type { AgentId } from '../../kernel/ids.js';
import { pointerTo, type Json, type JsonPointer } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';

/** What a reader answers when it has noted a fault. */
export const FAULTY = Symbol('faulty');
export type Faulty = typeof FAULTY;

/** Reads a value in its ProtoJSON form; undefined when it amounts to an absent one. */
export type Read<T> = (value: Json, reading: Reading) => T | undefined | Faulty;

/** More faults than these help nobody, and a hostile document could hold any number. */
const MAX_FAULTS = 50;
/** A pointer that is longer gives way to the nearest ancestor that is not. */
const MAX_POINTER_LENGTH = 256;

/** One pass over the params of a request: where the reader stands and what is wrong so far. */
export class Reading {
  readonly faults: Fault[] = [];
  readonly #path: (string | number)[] = [];

  /** @param agentId the agent of the address, which the protocol's own `tenant` must not contradict */
  constructor(readonly agentId: AgentId) {}

  enter(token: string | number): void {
    this.#path.push(token);
  }

  leave(): void {
    this.#path.pop();
  }

  /** @param detail continues a sentence whose subject is the value at the pointer */
  fault(detail: string): Faulty {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ pointer: this.#pointer(), detail });
    return FAULTY;
  }

  /** As {@link fault}, of what is, or is missing, below the value at hand. */
  faultAt(tokens: readonly string[], detail: string): Faulty {
    this.#path.push(...tokens);
    this.fault(detail);
    this.#path.splice(-tokens.length);
    return FAULTY;
  }

  #pointer(): JsonPointer {
    let pointer: JsonPointer = '';
    for (const token of this.#path) {
      const longer = pointerTo(pointer, token);
      if (longer.length > MAX_POINTER_LENGTH) return pointer;
      pointer = longer;
    }
    return pointer;
  }
}
