import { expect } from '@jest/globals';
import type { Decision } from '../../src/interactions/domain/decisions/decision.js';
import type { InteractionEvent } from '../../src/interactions/domain/events.js';
import type { Rejection, RejectionCode } from '../../src/kernel/rejection.js';
import type { Act, Scene } from './interaction-fixtures.js';

/** What a command comes to: the types of its events in order, or the code of the refusal. */
export type Outcome = readonly InteractionEvent['type'][] | RejectionCode;

/** `given(pending).when(accept(beta)).then('revision-accepted', 'revision-attested')` */
export function given(scene: Scene): { when(act: Act): Then } {
  return { when: (act) => new Then(scene, scene.decide(act)) };
}

export class Then {
  constructor(
    private readonly scene: Scene,
    private readonly decision: Decision,
  ) {}

  get outcome(): Outcome {
    return this.decision.ok ? this.decision.value.map(({ type }) => type) : this.#refusal.code;
  }

  /** These events, in this order; gives the scene after them. */
  then(...types: readonly InteractionEvent['type'][]): Scene {
    expect(this.outcome).toEqual(types);
    return this.scene.record(this.events);
  }

  refused(code: RejectionCode): Rejection {
    expect(this.outcome).toBe(code);
    return this.#refusal;
  }

  get events(): readonly InteractionEvent[] {
    if (!this.decision.ok) throw new Error(`refused: ${this.decision.error.code}`);
    return this.decision.value;
  }

  get #refusal(): Rejection {
    if (this.decision.ok) throw new Error('not refused');
    return this.decision.error;
  }
}
