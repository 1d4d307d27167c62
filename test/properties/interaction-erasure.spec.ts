import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { erasureDueAt } from '../../src/interactions/domain/erasure.js';
import { isTerminal, revisionInForce } from '../../src/interactions/domain/revisions.js';
import { ERASED } from '../../src/kernel/event.js';
import { DAY, foldInteraction, type Scene } from '../support/interaction-fixtures.js';
import { play, story, type Move, type Step } from '../support/interaction-model.js';
import { RUNS } from '../support/property-runs.js';

const plain = { who: 0, flaw: 'none', token: 'token', terms: 0, change: 'none' } as const;
/** How a story goes on that is left alone: few come to an erasure by themselves. */
const UNTIL_ERASED: readonly Move[] = [
  { ...plain, kind: 'expire', wait: 40 * DAY },
  { ...plain, kind: 'erase', wait: 40 * DAY },
];

function holds(law: (steps: readonly Step[]) => void): void {
  fc.assert(
    fc.property(story, fc.boolean(), ({ parties, moves }, isLeftAlone) => {
      law(play({ parties, moves: isLeftAlone ? [...moves, ...UNTIL_ERASED] : moves }));
    }),
    RUNS,
  );
}

/** Told from the log alone, in other words than the code's. */
function mayBeErased({ log, nowMs, interaction }: Scene): boolean {
  const consents = new Set(
    log.flatMap((event) => (event.type === 'erasure-consented' ? [event.data.agentId] : [])),
  );
  const terms = interaction.revisions.filter(({ status }) => status === 'accepted').slice(-1);
  const days = (terms.length > 0 ? terms : interaction.revisions).map(({ contract }) =>
    contract === ERASED ? Infinity : contract.retentionDays,
  );
  const retainedUntil = Date.parse(interaction.updatedAt) + Math.max(...days) * DAY;
  return interaction.parties.every((party) => consents.has(party)) || nowMs >= retainedUntil;
}

it('nothing is erased but at the end of its retention, or with the consent of every party', () => {
  let erasures = 0;
  holds((steps) => {
    for (const { before, decision } of steps) {
      if (!decision.ok || !decision.value.some(({ type }) => type === 'texts-erased')) continue;
      erasures++;
      expect(isTerminal(before.state?.status ?? 'pending')).toBe(true);
      expect(mayBeErased(before)).toBe(true);
    }
  });
  expect(erasures).toBeGreaterThan(0);
});

it('what is due is erased when the service asks, and what is not is refused', () => {
  holds((steps) => {
    for (const { before, command, decision } of steps) {
      if (command.kind !== 'erase' || before.state?.erasure !== null) continue;
      const isDue = isTerminal(before.state.status) && mayBeErased(before);
      expect(decision).toMatchObject(
        isDue ? { ok: true } : { ok: false, error: { code: 'erasure-not-due' } },
      );
    }
  });
});

it('a consent is given by a party, once, after the end', () => {
  holds((steps) => {
    const seen = new Set<string>();
    for (const { before, decision } of steps) {
      for (const event of decision.ok ? decision.value : []) {
        if (event.type !== 'erasure-consented') continue;
        expect(isTerminal(before.interaction.status)).toBe(true);
        expect(before.interaction.parties).toContain(event.data.agentId);
        expect(seen.has(event.data.agentId)).toBe(false);
        seen.add(event.data.agentId);
      }
    }
  });
});

it('whoever remembers the texts and hears of their erasure holds what a log without them gives', () => {
  holds((steps) => {
    const last = steps.at(-1)?.after;
    if (last === undefined || last.interaction.erasure === null) return;
    expect(foldInteraction(last.log)).toEqual(last.erased().state);
    expect(JSON.stringify(last.state)).not.toContain('leaflet');
  });
});

it('a due moment is told exactly while there are texts, after the end, that are not kept for ever', () => {
  holds((steps) => {
    for (const { after } of steps) {
      const { interaction } = after;
      const isKnown = isTerminal(interaction.status) && interaction.erasure === null;
      expect(erasureDueAt(interaction) !== null).toBe(isKnown);
      expect(revisionInForce(interaction)?.revision ?? null).toBe(interaction.inForce);
    }
  });
});
