import { describe, expect, it } from '@jest/globals';
import { LogReplay } from '../../../../src/audit/verify/replay/log-replay.js';
import { decodeBase64Url } from '../../../../src/kernel/base64url.js';
import type { EventEnvelope, Sealed } from '../../../../src/kernel/envelope.js';
import { AUDIENCE, GENEROUS_POLICY } from '../../../support/interaction-fixtures.js';
import { golden, preludeOf } from '../../support/bundles.js';

/** One party of this golden accepted by its policy of revision 7. */
const told = golden('every-method-cancelled');
const own = `interaction-${told.document.interactionId}`;
const dataKey = decodeBase64Url(told.dataKeys[own] ?? '');
const acceptance = told.events.find(({ data }) => (data['policyRevision'] ?? null) !== null)!;
const log = [...preludeOf(told), ...told.events];

interface Entry {
  readonly envelope: EventEnvelope;
  readonly texts?: unknown;
}

/** As they are written today: the rules are sealed. */
function sealed({ envelope, texts }: Entry): Entry {
  if (envelope.type !== 'agent-policy-changed') return { envelope, texts };
  const { policy, ...data } = envelope.data;
  const today = { ...envelope, schemaVersion: 2, sealed: 'A'.repeat(64) as Sealed };
  return { envelope: { ...today, data: { ...data, hasPolicy: policy !== null } }, texts };
}

/** The change of policy that the acceptance names. */
function change(to: (entry: Entry) => Entry, rules?: unknown): readonly Entry[] {
  return log.map((envelope) => {
    const isChange = envelope.type === 'agent-policy-changed';
    const entry = sealed({ envelope, texts: isChange ? rules : undefined });
    return isChange && envelope.revision === 7 ? to(entry) : entry;
  });
}

const same = (entry: Entry): Entry => entry;
const saying =
  (hasPolicy: unknown) =>
  ({ envelope, texts }: Entry): Entry => ({
    envelope: { ...envelope, data: { ...envelope.data, hasPolicy } as EventEnvelope['data'] },
    texts,
  });

function verdicts(entries: readonly Entry[]) {
  const replay = new LogReplay({
    audience: AUDIENCE,
    partial: true,
    dataKey: (stream) => (stream === own ? dataKey : undefined),
  });
  const results = entries.flatMap((entry, index) => replay.add({ index, ...entry }));
  const of = (subject: RegExp, check: string) =>
    results.flatMap((found) =>
      found.check === check && subject.test(found.subject)
        ? [`${found.result} ${found.reason ?? ''} ${found.detail ?? ''}`.trim()]
        : [],
    );
  return {
    acceptance: of(new RegExp(`^${own}@${acceptance.revision},`), 'acceptance'),
    ofPolicy: (check: string) => of(/^agent-.*@7$/, check),
  };
}

const BY_PLATFORM_ONLY = 'not-checkable method-without-signature policy_auto_accept';

describe('a policy whose rules are sealed', () => {
  it('without its texts is a change like others, and what it covers is not checkable', () => {
    const { acceptance, ofPolicy } = verdicts(change(same));
    expect(acceptance).toEqual(['not-checkable texts-missing policy']);
    for (const check of ['event-data', 'transition', 'change']) {
      expect([check, ofPolicy(check)]).toEqual([check, ['verified']]);
    }
    expect(ofPolicy('texts')).toEqual([]);
  });

  it('with its texts counts as one that was told', () => {
    const { acceptance, ofPolicy } = verdicts(change(same, { policy: GENEROUS_POLICY }));
    expect(acceptance).toEqual([BY_PLATFORM_ONLY]);
    expect(ofPolicy('texts')).toEqual(['verified']);
    const first = verdicts(log.map((envelope) => ({ envelope })));
    expect(first.acceptance).toEqual([BY_PLATFORM_ONLY]);
  });

  it('with texts that do not cover the terms fails', () => {
    const policy = { ...GENEROUS_POLICY, allowedActions: ['nothing'] };
    expect(verdicts(change(same, { policy })).acceptance).toEqual([
      'failed policy-not-in-force the terms are not covered',
    ]);
  });

  it('that was removed was not in force, whether or not there are texts', () => {
    expect(verdicts(change(saying(false))).acceptance).toEqual([
      'failed policy-not-in-force revision 7',
    ]);
  });

  it.each([
    ['that are no policy', same, { policy: { taskCategories: [] } }],
    ['of nothing', same, {}],
    ['that are none, where there is one', same, { policy: null }],
    ['that are some, where there is none', saying(false), { policy: GENEROUS_POLICY }],
  ])('with texts %s fails', (_, to, texts) => {
    const [verdict] = verdicts(change(to, texts)).ofPolicy('texts');
    expect(verdict).toMatch(/^failed data-malformed/);
  });

  it.each<[string, (entry: Entry) => Entry]>([
    [
      'its rules in the clear',
      ({ envelope }) => ({
        envelope: { ...envelope, data: { ...envelope.data, policy: null } },
      }),
    ],
    ['another word than true or false', saying('yes')],
    ['nothing sealed', ({ envelope }) => ({ envelope: { ...envelope, sealed: null } })],
  ])('with %s fails', (_, to) => {
    const [verdict] = verdicts(change(to)).ofPolicy('event-data');
    expect(verdict).toMatch(/^failed data-malformed/);
  });

  it('in a version that a later build writes is not checkable', () => {
    const later = ({ envelope }: Entry): Entry => ({ envelope: { ...envelope, schemaVersion: 3 } });
    expect(verdicts(change(later)).ofPolicy('event-data')).toEqual([
      'not-checkable version-unknown agent-policy-changed v3',
    ]);
  });
});
