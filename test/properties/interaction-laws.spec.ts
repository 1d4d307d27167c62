import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { interactionDecider } from '../../src/interactions/domain/decider.js';
import { interactionDocument } from '../../src/interactions/domain/document.js';
import { headOf } from '../../src/interactions/domain/head.js';
import type { Revision } from '../../src/interactions/domain/interaction.js';
import { isTerminal } from '../../src/interactions/domain/revisions.js';
import { interactionStatus } from '../../src/interactions/domain/status.js';
import { ERASED } from '../../src/kernel/event.js';
import { validateInteraction } from '../../src/kernel/wire-schema.js';
import { DAY, expire, foldInteraction, type Scene } from '../support/interaction-fixtures.js';
import { play, story, type Step } from '../support/interaction-model.js';
import { RUNS } from '../support/property-runs.js';

function holds(law: (steps: readonly Step[]) => void): void {
  fc.assert(
    fc.property(story, (told) => {
      law(play(told));
    }),
    RUNS,
  );
}

const bytesOf = (scene: Scene) => JSON.stringify(interactionDocument(scene.interaction));

function lastOf(steps: readonly Step[]): Scene {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('a story has a first step');
  return last.after;
}

function pairs<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.slice(1).map((item, index) => [items[index] as T, item] as const);
}

const withoutTerms = (revision: Revision): Revision => ({ ...revision, contract: ERASED });

/** As `toEqual`, which is dear, once there is something to say. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

describe('folding', () => {
  it('a ++ b is folding b over the fold of a', () => {
    holds((steps) => {
      const { log } = lastOf(steps);
      const whole = foldInteraction(log);
      for (let cut = 0; cut <= log.length; cut++) {
        const state = foldInteraction(log.slice(cut), foldInteraction(log.slice(0, cut)));
        expectSame(state, whole);
      }
    });
  });

  it('counts events, and takes them as JSON carries them', () => {
    holds((steps) => {
      const { log, state } = lastOf(steps);
      expect(state?.version).toBe(log.length);
      expectSame(foldInteraction(JSON.parse(JSON.stringify(log)) as typeof log), state);
    });
  });

  it('never throws for want of texts, and loses nothing but texts', () => {
    holds((steps) => {
      const scene = lastOf(steps);
      const erased = scene.erased();
      expect(interactionDocument(erased.interaction)).toBe(ERASED);
      const { head, status, since, waitingOn } = interactionStatus(scene.interaction);
      expect(interactionStatus(erased.interaction)).toMatchObject({
        head,
        status,
        since,
        waitingOn,
      });
    });
  });
});

describe('deciding', () => {
  it('gives the same answer to the same question', () => {
    holds((steps) => {
      for (const { before, command, caller, decision } of steps) {
        expectSame(
          before.decide(() => ({ command, caller })),
          decision,
        );
      }
    });
  });

  it('changes no command, and no state that it was asked about', () => {
    holds((steps) => {
      for (const { before, command, caller } of steps) {
        const text = JSON.stringify(command);
        interactionDecider.decide(before.state, command, { ...before.context, caller });
        expect(JSON.stringify(command)).toBe(text);
        expectSame(before.state, foldInteraction(before.log));
      }
    });
  });

  it('never takes the same command twice, however much later', () => {
    holds((steps) => {
      for (const [index, { command, caller, decision }] of steps.entries()) {
        if (!decision.ok) continue;
        for (const { after } of steps.slice(index)) {
          const again = after.decide(() => ({ command, caller }));
          expect(again.ok && again.value.length > 0).toBe(false);
        }
      }
    });
  });

  it('says nothing but not-found to whoever is no party', () => {
    holds((steps) => {
      for (const { before, command, decision } of steps) {
        if (command.kind === 'propose' || !('agentId' in command)) continue;
        if (before.state?.parties.includes(command.agentId) === true) continue;
        expect(decision).toEqual({ ok: false, error: { code: 'interaction-not-found' } });
      }
    });
  });

  it('names the current head whenever it says that the head is another', () => {
    holds((steps) => {
      for (const { before, decision } of steps) {
        if (decision.ok) continue;
        const { code, head } = decision.error;
        const isAboutHead = code === 'head-changed' || code === 'interaction-ended';
        expect(head).toEqual(isAboutHead ? headOf(before.interaction) : undefined);
      }
    });
  });
});

describe('an interaction', () => {
  it('is a chain: each revision has one predecessor and at most one successor', () => {
    holds((steps) => {
      const { revisions } = lastOf(steps).interaction;
      expect(revisions.map(({ revision }) => revision)).toEqual(revisions.map((_, n) => n + 1));
      expect(revisions[0]?.previousTermsHash).toBeNull();
      for (const [earlier, later] of pairs(revisions)) {
        expect(later.previousTermsHash).toBe(earlier.termsHash);
        expect(later.termsHash).not.toBe(earlier.termsHash);
      }
    });
  });

  it('has one open proposal at most, the newest revision, and only before its end', () => {
    holds((steps) => {
      for (const { after } of steps) {
        const { revisions, status } = after.interaction;
        const open = revisions.filter((revision) => revision.status === 'proposed');
        if (open.length > 0) expect(open).toEqual([revisions.at(-1)]);
        if (isTerminal(status)) expect(open).toEqual([]);
        if (status === 'pending') expect(open).toHaveLength(1);
      }
    });
  });

  it('never changes an accepted revision', () => {
    holds((steps) => {
      for (const [earlier, later] of pairs(steps.map(({ after }) => after))) {
        for (const [index, revision] of earlier.interaction.revisions.entries()) {
          if (revision.status !== 'accepted') continue;
          const kept = later.interaction.erasure === null ? revision : withoutTerms(revision);
          expectSame(later.interaction.revisions[index], kept);
        }
      }
    });
  });

  it('never changes the terms, proposer or acceptances of any revision, save by adding one or erasing all', () => {
    holds((steps) => {
      for (const [earlier, later] of pairs(steps.map(({ after }) => after))) {
        for (const [index, revision] of earlier.interaction.revisions.entries()) {
          const next = later.interaction.revisions[index];
          const isErased = later.interaction.erasure !== null;
          expectSame(next?.contract, isErased ? ERASED : revision.contract);
          expect(next?.proposedByAgentId).toBe(revision.proposedByAgentId);
          const kept = [...(next?.acceptances ?? [])].slice(0, revision.acceptances.size);
          expectSame(kept, [...revision.acceptances]);
        }
      }
    });
  });

  it('stays as it ended, byte for byte, until its texts are erased', () => {
    holds((steps) => {
      let end: string | undefined;
      for (const { after } of steps) {
        if (after.interaction.erasure !== null) end = JSON.stringify(ERASED);
        if (end !== undefined) expect(bytesOf(after)).toBe(end);
        else if (isTerminal(after.interaction.status)) end = bytesOf(after);
      }
    });
  });

  it('moves only along the arrows of its states', () => {
    const arrows: Readonly<Record<string, readonly string[]>> = {
      pending: ['pending', 'active', 'rejected', 'expired', 'cancelled'],
      active: ['active', 'completed', 'cancelled', 'expired'],
    };
    holds((steps) => {
      for (const [earlier, later] of pairs(steps.map(({ after }) => after.interaction.status))) {
        expect(arrows[earlier] ?? [earlier]).toContain(later);
      }
    });
  });

  it('has a document that is valid by the wire schema, at every step', () => {
    holds((steps) => {
      for (const { after } of steps) {
        const document = interactionDocument(after.interaction);
        if (document === ERASED) continue;
        expect(validateInteraction(JSON.parse(JSON.stringify(document)))).toMatchObject({
          ok: true,
        });
      }
    });
  });

  it('waits for parties alone, and for somebody until it ends', () => {
    holds((steps) => {
      for (const { after } of steps) {
        const { parties, status } = after.interaction;
        const { waitingOn, nextDeadline } = interactionStatus(after.interaction);
        expect(parties).toEqual(expect.arrayContaining([...waitingOn]));
        expect(waitingOn.length > 0).toBe(!isTerminal(status));
        expect(nextDeadline !== null).toBe(!isTerminal(status));
      }
    });
  });

  it('shows an expiry that is not yet recorded in the bytes of the recorded one', () => {
    holds((steps) => {
      for (const { after } of steps) {
        if (after.state === undefined || isTerminal(after.state.status)) continue;
        const due = after.at(Date.parse(after.state.expiresAt));
        const late = due.later(30 * DAY).perform(expire());
        expect(bytesOf(due)).toBe(bytesOf(late));
        expectSame(due.interaction, late.state);
      }
    });
  });
});
