import { describe, expect, it } from '@jest/globals';
import type { CheckResult } from '../../../../src/audit/verify/check-result.js';
import type { ReplayOptions } from '../../../../src/audit/verify/replay/entry.js';
import { LogReplay } from '../../../../src/audit/verify/replay/log-replay.js';
import { wireDocument } from '../../../../src/audit/verify/replay/wire-document.js';
import { canonicalJson } from '../../../../src/kernel/canonical-json.js';
import { decodeBase64Url } from '../../../../src/kernel/base64url.js';
import type { EventEnvelope, Sealed } from '../../../../src/kernel/envelope.js';
import { deriveUuid } from '../../../../src/kernel/ids.js';
import { signEd25519 } from '../../../../src/kernel/ed25519.js';
import {
  makeStatement,
  statementText,
  type ErasureConsentStatement,
} from '../../../../src/kernel/statements.js';
import type { Timestamp } from '../../../../src/kernel/timestamp.js';
import { AUDIENCE, signingKey, type SigningKey } from '../../../support/interaction-fixtures.js';
import {
  agentRegistered,
  alphaKey,
  betaKey,
  envelope,
  golden,
  platformKeyAdded,
  preludeOf,
  registeredKey,
  requestOf,
  signedChange,
} from '../../support/bundles.js';

const told = golden('negotiated-amended-completed');
const own = `interaction-${told.document.interactionId}`;
const dataKey = decodeBase64Url(told.dataKeys[own] ?? '');
const log = [...preludeOf(told), ...told.events];
/** Places in the log: the prelude has three events. */
const FIRST = 3;
const at = (type: string, nth = 0): number => {
  const places = log.flatMap((event, place) => (event.type === type ? [place] : []));
  return places[nth] ?? -1;
};

function replayed(events: readonly EventEnvelope[], options: Partial<ReplayOptions> = {}) {
  const replay = new LogReplay({
    audience: AUDIENCE,
    documents: true,
    dataKey: () => dataKey,
    ...options,
  });
  const results = events.flatMap((event, index) => replay.add({ index, envelope: event }));
  return { replay, results: [...results, ...replay.finish()] };
}

/** The checks that are not verified, without what follows from them. */
function doubts(results: readonly CheckResult[]) {
  return results
    .filter(({ result, reason }) => result !== 'verified' && reason !== 'state-unknown')
    .map(
      ({ check, result, reason, subject }) =>
        `${subject.replace(own, 'own')} ${check} ${result} ${reason}`,
    );
}

const insert = (place: number, ...events: readonly EventEnvelope[]): readonly EventEnvelope[] => [
  ...log.slice(0, place),
  ...events,
  ...log.slice(place),
];
const replace = (
  place: number,
  change: (event: EventEnvelope) => EventEnvelope,
): readonly EventEnvelope[] => log.map((event, nth) => (nth === place ? change(event) : event));

/** An event of an agent's stream at the moment of the event that it is inserted before. */
function change(
  agentId: string,
  type: string,
  data: object,
  place: number,
  by: object = signedChange(
    agentId,
    agentId === 'agent-alpha' ? alphaKey : betaKey,
    requestOf(type, data, 1),
    momentOf(place),
  ),
  revision = 1,
): EventEnvelope {
  const isSealed = type === 'agent-key-revoked' || type === 'agent-retired';
  const made = envelope(
    `agent-${agentId}`,
    revision,
    type,
    { agentId, authorization: by, ...data },
    momentOf(place),
  );
  return { ...made, sealed: isSealed ? ('A'.repeat(40) as Sealed) : null };
}
function momentOf(place: number): Timestamp {
  const moment = log[place]?.recordedAt;
  if (moment === undefined) throw new Error('there is no such place');
  return moment;
}
const revocation = (agentId: string, keyId: string, place: number) =>
  change(agentId, 'agent-key-revoked', { keyId, reasonHash: null }, place);
const platformEvent = (type: string, data: object, revision = 1) =>
  envelope('platform-keys', revision, type, { keyId: 'platform-vector-key', ...data });

describe('a whole log', () => {
  it('is verified, and leads to the document', () => {
    const { replay, results } = replayed(log);
    expect(doubts(results)).toEqual([]);
    const state = replay.interaction(told.document.interactionId);
    expect(state && canonicalJson(wireDocument(state))).toBe(canonicalJson(told.document));
  });

  it('is verified without the texts too, except for what needs them', () => {
    const { results } = replayed(log, { dataKey: () => undefined, documents: false });
    const reasons = results
      .filter(({ result }) => result !== 'verified')
      .map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(['texts-missing']));
  });

  it('is judged once, whatever the number of threads', () => {
    const whole = replayed(log).results;
    const shared = [true, false].flatMap(
      (isFirst) =>
        replayed(log, { judges: (stream) => stream.startsWith('agent-') === isFirst }).results,
    );
    const text = (results: readonly CheckResult[]) =>
      results.map((result) => JSON.stringify(result)).sort();
    expect(text(shared)).toEqual(text(whole));
  });

  it('is judged alike by every number of threads where a head is named that is not there', () => {
    const countered = FIRST + 1;
    const mistaken = replace(countered, (event) => ({
      ...event,
      metadata: { ...event.metadata, basedOn: { 'agent-agent-beta': 7 } },
    }));
    // What of beta is judged after it, by whoever judges beta, knows nothing of the mistake.
    const rotated = change(
      'agent-beta',
      'agent-key-added',
      {
        key: registeredKey('agent-beta', signingKey('agent-beta#2', 36), momentOf(countered + 1)),
        replaces: null,
      },
      countered + 1,
    );
    const events = [...mistaken.slice(0, countered + 1), rotated, ...mistaken.slice(countered + 1)];
    const found = doubts(replayed(events).results);
    expect(found).toEqual(['own@1 based-on failed head-unknown']);
    const shared = [true, false].flatMap(
      (isFirst) =>
        replayed(events, { judges: (stream) => stream.startsWith('agent-') === isFirst }).results,
    );
    expect(doubts(shared)).toEqual(found);
  });

  it('forgets what ended when it is told to, and still judges the erasure', () => {
    const { replay } = replayed(log);
    replay.release(told.document.interactionId);
    const state = replay.interaction(told.document.interactionId);
    expect([state?.status, state?.revisions]).toEqual(['completed', []]);
    const early = envelope(
      own,
      told.events.length,
      'texts-erased',
      { interactionId: told.document.interactionId, ground: 'retention' },
      told.document.updatedAt,
    );
    const results = replay.add({ index: 100, envelope: early });
    expect(doubts(results)).toEqual([
      `own@${told.events.length} transition failed illegal-transition`,
    ]);
  });
});

describe('an acceptance counts by the keys that were valid at its place in the log', () => {
  const acceptance = at('revision-accepted');

  it.each<[string, readonly EventEnvelope[], readonly string[]]>([
    [
      'recorded after the revocation of its key it is raced',
      insert(acceptance, revocation('agent-alpha', alphaKey.keyId, acceptance)),
      ['own@2, revision 2, agent-alpha acceptance failed raced'],
    ],
    [
      'recorded before the revocation it stays verified, and later signatures do not',
      insert(
        at('outcome-reported'),
        revocation('agent-alpha', alphaKey.keyId, at('outcome-reported')),
      ),
      [],
    ],
  ])('%s', (_, events, expected) => {
    const found = doubts(replayed(events).results);
    for (const doubt of expected) expect(found).toContain(doubt);
    if (expected.length === 0) {
      expect(found.filter((doubt) => /own@[0-4], .* acceptance /.test(doubt))).toEqual([]);
      expect(found.join('\n')).toContain('raced');
    }
  });

  it('recorded after its key was replaced it fails', () => {
    const second = signingKey('agent-alpha#2', 33);
    const rotation = change(
      'agent-alpha',
      'agent-key-added',
      { key: registeredKey('agent-alpha', second, momentOf(acceptance)), replaces: alphaKey.keyId },
      acceptance,
    );
    expect(doubts(replayed(insert(acceptance, rotation)).results)).toContain(
      'own@2, revision 2, agent-alpha acceptance failed key-window-ended',
    );
  });

  it('by a key that comes later in the log it fails', () => {
    const late = [...log.slice(0, 1), ...log.slice(2, FIRST), ...log.slice(FIRST)];
    const found = doubts(replayed(late).results);
    expect(found[0]).toBe('own@0 based-on failed head-unknown');
    expect(found[1]).toBe('own@0 transition failed party-unknown');
  });

  it('by a method that the agent does not permit it fails', () => {
    const methods = change(
      'agent-alpha',
      'agent-methods-changed',
      { methods: ['oauth_account'] },
      FIRST,
    );
    expect(doubts(replayed(insert(FIRST, methods)).results)).toContain(
      'own@0, revision 1, agent-alpha acceptance failed method-not-permitted',
    );
  });

  it('with a party that has retired it fails', () => {
    const retirement = change('agent-beta', 'agent-retired', { reasonHash: null }, acceptance);
    expect(doubts(replayed(insert(acceptance, retirement)).results)[0]).toBe(
      'own@2 transition failed party-unknown',
    );
  });
});

describe("the platform's keys count by their place in the log", () => {
  const attested = at('revision-attested');
  const second = signingKey('platform-2', 34);
  const addSecond = platformKeyAdded(second, 1);
  const retired = platformEvent('platform-key-retired', { replacedBy: second.keyId }, 2);

  it('revoked before the attestation: failed', () => {
    const revoked = platformEvent('platform-key-revoked', { reason: 'key-compromise' });
    expect(doubts(replayed(insert(attested - 1, revoked)).results)).toContain(
      'own@3, revision 2 attestation failed key-revoked',
    );
  });

  it('revoked after all attestations: they stay good', () => {
    const revoked = platformEvent('platform-key-revoked', { reason: 'key-compromise' });
    expect(doubts(replayed([...log, revoked]).results)).toEqual([]);
  });

  /** Decided at this head, and attested by the second key when asked for. */
  const decided = (event: EventEnvelope, head: number | undefined, bySecond = false) => {
    if (event.type !== 'revision-accepted' && event.type !== 'revision-attested') return event;
    const { 'platform-keys': _, ...others } = event.metadata.basedOn;
    const basedOn = head === undefined ? others : { ...others, 'platform-keys': head };
    const metadata = { ...event.metadata, basedOn };
    if (event.type === 'revision-accepted' || !bySecond) return { ...event, metadata };
    const given = event.data['attestation'] as { readonly digest: string };
    const value = signEd25519(second.privateKey, given.digest);
    const attestation = { ...given, keyId: second.keyId, value };
    return { ...event, metadata, data: { ...event.data, attestation } };
  };
  const acceptances = [at('revision-accepted'), at('revision-accepted', 1)];

  it.each([false, true])(
    'wherever it is retired in a log of a writer that reads before it decides: good (overtaken: %s)',
    (mayBeOvertaken) => {
      for (let rotation = 1; rotation <= log.length; rotation++) {
        const told = log.map((event, place) => {
          const acceptance = acceptances.findLast((each) => each <= place) ?? place;
          // The event before the acceptance was read before the head was.
          const isSeen = mayBeOvertaken ? rotation < acceptance : rotation <= acceptance;
          return decided(event, isSeen ? 2 : 0, isSeen);
        });
        const events = [...told.slice(0, rotation), addSecond, retired, ...told.slice(rotation)];
        expect([rotation, doubts(replayed(events).results)]).toEqual([rotation, []]);
      }
    },
  );

  it('retired before what the decision had read, whatever head it names: failed', () => {
    for (let rotation = 1; rotation < attested - 1; rotation++) {
      expect([rotation, doubts(replayed(insert(rotation, addSecond, retired)).results)]).toEqual([
        rotation,
        [
          'own@3, revision 2 attestation failed key-window-ended',
          'own@9, revision 4 attestation failed key-window-ended',
        ],
      ]);
    }
  });

  it('retired once more since then: failed all the same', () => {
    const events = [...insert(1, addSecond, retired)];
    const again = platformEvent('platform-key-retired', { replacedBy: second.keyId }, 3);
    events.splice(attested + 1, 0, again);
    expect(events[attested + 2]?.type).toBe('revision-accepted');
    expect(doubts(replayed(events).results).slice(0, 2)).toEqual([
      'platform-keys@3 platform-key failed illegal-transition',
      'own@3, revision 2 attestation failed key-window-ended',
    ]);
  });

  it('retired while a decision that names no head was being recorded: failed', () => {
    const events = insert(attested - 1, addSecond, retired).map((event) =>
      decided(event, undefined),
    );
    expect(doubts(replayed(events).results)[0]).toBe(
      'own@3, revision 2 attestation failed key-window-ended',
    );
  });

  it('added after the head that the decision names: failed', () => {
    const late = [platformKeyAdded(second), platformKeyAdded(undefined, 1), ...log.slice(1)];
    expect(doubts(replayed(late).results)).toEqual([
      'own@3, revision 2 attestation failed key-not-current',
      'own@9, revision 4 attestation failed key-not-current',
    ]);
    const events = late.map((event) => decided(event, 1));
    expect(doubts(replayed(events).results)).toEqual([]);
  });

  it('retired before the decision: failed', () => {
    const events = insert(attested - 1, addSecond, retired).map((event) =>
      event.type === 'revision-accepted' || event.type === 'revision-attested'
        ? {
            ...event,
            metadata: {
              ...event.metadata,
              basedOn: { ...event.metadata.basedOn, 'platform-keys': 2 },
            },
          }
        : event,
    );
    expect(doubts(replayed(events).results)).toContain(
      'own@3, revision 2 attestation failed key-window-ended',
    );
  });

  it('added before the attestation, and dated after it: failed', () => {
    const ahead = '2031-01-01T00:00:00.000Z' as Timestamp;
    expect(
      doubts(replayed(replace(0, (event) => ({ ...event, recordedAt: ahead }))).results),
    ).toEqual([
      'own@3, revision 2 attestation failed key-not-yet-valid',
      'own@9, revision 4 attestation failed key-not-yet-valid',
    ]);
  });

  it('of another purpose: failed', () => {
    const events = replace(0, (event) => ({ ...event, data: { ...event.data, purpose: 'card' } }));
    expect(doubts(replayed(events).results)).toContain(
      'own@3, revision 2 attestation failed key-purpose',
    );
  });

  it('that was never recorded: failed', () => {
    const events = replace(0, (event) => ({ ...event, data: { ...event.data, keyId: 'other' } }));
    expect(doubts(replayed(events).results)).toContain(
      'own@3, revision 2 attestation failed key-id-wrong',
    );
  });
});

describe('a change of an agent is signed by a key of its own', () => {
  const second = signingKey('agent-alpha#2', 35);
  const added = (key: SigningKey) => ({
    key: registeredKey('agent-alpha', key, momentOf(FIRST)),
    replaces: null,
  });
  const adding = (by: object, key: SigningKey = second) =>
    replayed([
      ...log.slice(0, FIRST),
      change('agent-alpha', 'agent-key-added', added(key), FIRST, by),
    ]).results;
  const signed = (agentId: string, by: SigningKey, key = second, moment = momentOf(FIRST)) =>
    signedChange(agentId, by, requestOf('agent-key-added', added(key), 1), moment);

  it.each<[string, object, SigningKey, readonly string[]]>([
    ['by its key', signed('agent-alpha', alphaKey), second, []],
    [
      'by the added key itself',
      signed('agent-alpha', second),
      second,
      ['agent-agent-alpha@1 change failed key-unregistered'],
    ],
    [
      'of another agent',
      signed('agent-beta', alphaKey),
      second,
      ['agent-agent-alpha@1 change failed signature-invalid'],
    ],
    [
      'at another moment',
      signed('agent-alpha', alphaKey, second, '2029-01-01T00:00:00.000Z' as Timestamp),
      second,
      ['agent-agent-alpha@1 change failed signed-at-implausible'],
    ],
    [
      'by a mere token',
      { by: 'token' },
      second,
      ['agent-agent-alpha@1, token change failed signature-missing'],
    ],
    [
      "by the owner's administrator, as long as nothing rests on it",
      { by: 'owner-admin' },
      second,
      [],
    ],
    [
      'with a key that it has already',
      signed('agent-alpha', alphaKey, alphaKey),
      alphaKey,
      ['agent-agent-alpha@1, agent-alpha#1 key-proof failed key-repeated'],
    ],
  ])('%s', (_, by, key, expected) => {
    expect(doubts(adding(by, key))).toEqual(expected);
  });

  it('a first key may come by token, with others of the same command', () => {
    const keyless = agentRegistered('agent-alpha', [], ['oauth_account']);
    const key = registeredKey('agent-alpha', alphaKey, momentOf(FIRST));
    const first = change('agent-alpha', 'agent-key-added', { key, replaces: null }, FIRST, {
      by: 'token',
    });
    const methods = envelope(
      'agent-agent-alpha',
      2,
      'agent-methods-changed',
      { agentId: 'agent-alpha', authorization: { by: 'token' }, methods: ['ed25519'] },
      momentOf(FIRST),
      'agent-agent-alpha@1',
      1,
    );
    expect(doubts(replayed([keyless, first, methods]).results)).toEqual([]);
  });
});

describe('the states are those of the protocol', () => {
  const drop = (place: number): readonly EventEnvelope[] =>
    log
      .filter((_, nth) => nth !== place)
      .map((event) =>
        event.stream === own && event.revision > (log[place]?.revision ?? 0)
          ? { ...event, revision: event.revision - 1 }
          : event,
      );
  const last = log.length - 1;

  it.each<[string, readonly EventEnvelope[], string]>([
    ['no attestation', drop(at('revision-attested')), 'own@3 transition failed illegal-transition'],
    ['no acceptance', drop(at('revision-accepted')), 'own@2 transition failed illegal-transition'],
    ['no completion at the end', drop(last), 'own@12 transition failed illegal-transition'],
    ['no first proposal', drop(FIRST), 'own@0 transition failed illegal-transition'],
    ['no second revision', drop(FIRST + 1), 'own@1 transition failed illegal-transition'],
    [
      'an attestation by another command',
      replace(at('revision-attested'), (event) => {
        const commandId = log[0]?.metadata.commandId ?? '';
        const id = deriveUuid(['event', own, commandId, 0]);
        return { ...event, id, metadata: { ...event.metadata, commandId } };
      }),
      'own@3 transition failed illegal-transition',
    ],
    [
      'an attestation by a command of the same id, which somebody else gave',
      replace(at('revision-attested'), (event) => ({
        ...event,
        metadata: { ...event.metadata, actor: { ...event.metadata.actor, principal: 'another' } },
      })),
      'own@3 transition failed illegal-transition',
    ],
    [
      'an id that is not that of an event of its command',
      replace(FIRST + 1, (event) => ({ ...event, id: log[FIRST]?.id ?? '' })),
      'own@1 envelope failed event-id-wrong',
    ],
    [
      'an attestation at another moment',
      replace(at('revision-attested'), (event) => ({
        ...event,
        recordedAt: '2030-01-01T00:02:00.001Z' as Timestamp,
      })),
      'own@3 transition failed times-inconsistent',
    ],
    [
      'something after the end',
      [
        ...log,
        {
          ...(log[at('revision-rejected')] as EventEnvelope),
          revision: 13,
          recordedAt: momentOf(last),
        },
      ],
      'own@13 transition failed illegal-transition',
    ],
    [
      'an event twice',
      [...log, log[last] as EventEnvelope],
      'own@12 stream-order failed revision-gap',
    ],
    [
      'a broken link',
      replace(FIRST + 1, (event) => ({
        ...event,
        data: { ...event.data, previousTermsHash: event.data['termsHash'] ?? null },
      })),
      'own@1 transition failed link-broken',
    ],
    [
      'time that goes back',
      replace(FIRST + 1, (event) => ({
        ...event,
        recordedAt: '2029-01-01T00:00:00.000Z' as Timestamp,
      })),
      'own@1 stream-order failed recorded-earlier',
    ],
    [
      'a type that nobody knows',
      replace(FIRST + 1, (event) => ({ ...event, type: 'revision-imagined' })),
      'own@1 event-data failed event-unknown',
    ],
    [
      'a later form',
      replace(FIRST + 1, (event) => ({ ...event, schemaVersion: 2 })),
      'own@1 event-data not-checkable version-unknown',
    ],
    [
      'a head that is not there',
      replace(FIRST, (event) => ({
        ...event,
        metadata: { ...event.metadata, basedOn: { 'agent-agent-alpha': 1 } },
      })),
      'own@0 based-on failed head-unknown',
    ],
  ])('%s', (_, events, expected) => {
    expect(doubts(replayed(events).results)[0]).toBe(expected);
  });

  it('what follows a break is not known', () => {
    const { replay, results } = replayed(drop(at('revision-attested')));
    expect(replay.interaction(told.document.interactionId)?.sound).toBe(false);
    const after = results.filter(({ reason }) => reason === 'state-unknown');
    expect(after.length).toBeGreaterThan(5);
  });

  it('texts that another key sealed do not open', () => {
    const { results } = replayed(log, { dataKey: () => Buffer.alloc(32, 1) });
    expect(doubts(results)[0]).toBe('own@0 texts failed seal-broken');
  });

  it('given texts are held against the recorded hashes', () => {
    const replay = new LogReplay({ audience: AUDIENCE });
    for (const [index, event] of log.slice(0, FIRST).entries())
      replay.add({ index, envelope: event });
    const { contract } = told.document.contractRevisions[0] ?? told.document;
    const texts = { contract: { ...contract, purpose: 'another' } };
    const results = replay.add({ index: FIRST, envelope: log[FIRST], texts });
    expect(doubts(results)).toEqual(['own@0 texts failed terms-hash-mismatch']);
  });

  it('nothing can be withheld but events of agents', () => {
    const replay = new LogReplay({ audience: AUDIENCE, partial: true });
    const place = { index: 0, revision: 0 };
    expect(doubts(replay.withhold({ ...place, stream: own }))).toEqual([
      'own@0 stream-order failed withheld-unexpected',
    ]);
    expect(doubts(replay.withhold({ ...place, index: 1, stream: 'agent-x' }))).toEqual([]);
  });
});

describe('the erasure of texts', () => {
  const { interactionId } = told.document;
  const next = told.events.length;
  const ended = told.document.updatedAt;

  function consent(agentId: string, key: SigningKey, revision: number): EventEnvelope {
    const statement = makeStatement<ErasureConsentStatement>(
      'federated-interaction/erasure-consent',
      {
        audience: AUDIENCE,
        agentId: agentId as never,
        interactionId,
        signedAt: ended,
      },
    );
    const value = signEd25519(key.privateKey, statementText(statement));
    const signature = { algorithm: 'Ed25519', keyId: key.keyId, value };
    return envelope(
      own,
      revision,
      'erasure-consented',
      { interactionId, agentId, signedAt: ended, signature },
      ended,
    );
  }
  const erased = (ground: string, revision: number, moment = ended): EventEnvelope =>
    envelope(own, revision, 'texts-erased', { interactionId, ground }, moment);
  const unsigned = { interactionId, signedAt: null, signature: null };
  const alphaConsents = consent('agent-alpha', alphaKey, next);
  const betaConsents = consent('agent-beta', betaKey, next + 1);
  const later = '2031-01-01T00:00:00.000Z' as Timestamp;

  it.each<[string, readonly EventEnvelope[], readonly string[]]>([
    ['with the consent of both', [alphaConsents, betaConsents, erased('consent', next + 2)], []],
    [
      'with the consent of one',
      [alphaConsents, erased('consent', next + 1)],
      [`own@${next + 1} transition failed illegal-transition`],
    ],
    [
      'with the consent of one, twice',
      [alphaConsents, consent('agent-alpha', alphaKey, next + 1)],
      [`own@${next + 1} transition failed illegal-transition`],
    ],
    [
      'with a consent that another signed',
      [consent('agent-beta', alphaKey, next)],
      [`own@${next}, agent-beta act failed key-unregistered`],
    ],
    [
      'with a consent that nobody signed, though its agent has retired',
      [
        change('agent-beta', 'agent-retired', { reasonHash: null }, log.length - 1),
        envelope(own, next, 'erasure-consented', { ...unsigned, agentId: 'agent-beta' }, ended),
      ],
      [`own@${next}, agent-beta act failed signature-missing`],
    ],
    [
      'with a consent that nobody signed, though its agent accepts by policy, too',
      [
        change(
          'agent-beta',
          'agent-methods-changed',
          { methods: ['policy_auto_accept', 'ed25519'] },
          log.length - 1,
        ),
        envelope(own, next, 'erasure-consented', { ...unsigned, agentId: 'agent-beta' }, ended),
      ],
      [`own@${next}, agent-beta act failed signature-missing`],
    ],
    [
      'with a consent that nobody signed, since its agent accepts by token, too',
      [
        change(
          'agent-beta',
          'agent-methods-changed',
          { methods: ['ed25519', 'oauth_account'] },
          log.length - 1,
        ),
        envelope(own, next, 'erasure-consented', { ...unsigned, agentId: 'agent-beta' }, ended),
      ],
      [`own@${next}, agent-beta act not-checkable act-without-signature`],
    ],
    ['when it is due', [erased('retention', next, later)], []],
    [
      'before it is due',
      [erased('retention', next)],
      [`own@${next} transition failed illegal-transition`],
    ],
    [
      'twice',
      [erased('retention', next, later), erased('retention', next + 1, later)],
      [`own@${next + 1} transition failed illegal-transition`],
    ],
  ])('%s', (_, events, expected) => {
    expect(doubts(replayed([...log, ...events]).results)).toEqual(expected);
  });

  it('with a consent that its party did not sign, it is no erasure by consent', () => {
    const forged = [
      consent('agent-alpha', betaKey, next),
      betaConsents,
      erased('consent', next + 2),
    ];
    expect(doubts(replayed([...log, ...forged]).results)).toEqual([
      `own@${next}, agent-alpha act failed key-unregistered`,
      `own@${next + 2} transition failed illegal-transition`,
    ]);
  });

  describe('that tells for how long the texts were retained', () => {
    const { retentionDays } = told.document.contract;
    const after = (days: number, from: string = ended) =>
      new Date(Date.parse(from) + days * 86_400_000).toISOString() as Timestamp;
    const by = (retention: object | null, moment: Timestamp, ground = 'retention') => ({
      ...envelope(own, next, 'texts-erased', { interactionId, ground, retention }, moment),
      schemaVersion: 2,
    });
    const of = (days: number) => ({ days, until: after(days) });
    const due = after(retentionDays);
    const justBefore = new Date(Date.parse(due) - 1).toISOString() as Timestamp;
    const illegal = `own@${next} transition failed illegal-transition`;
    const NOTHING: readonly string[] = [];
    const untold = `own@${next} transition not-checkable retention-unrecorded`;

    it.each<[string, EventEnvelope, readonly string[], readonly string[]]>([
      ['when it had run out', by(of(retentionDays), due), NOTHING, NOTHING],
      ['a moment before', by(of(retentionDays), justBefore), [illegal], [illegal]],
      ['fewer days than agreed', by(of(retentionDays - 1), due), [illegal], NOTHING],
      ['more days than agreed', by(of(retentionDays + 1), later), [illegal], NOTHING],
      [
        'another end than the days lead to',
        by({ days: retentionDays, until: after(retentionDays - 1) }, due),
        [illegal],
        [illegal],
      ],
      ['days that never end', by(of(36_501), after(36_501)), [illegal], [illegal]],
      ['days that no calendar has', by({ ...of(1), days: 2 ** 50 }, later), [illegal], [illegal]],
      ['nothing', by(null, later), NOTHING, [untold]],
      ['in version 1 nothing', erased('retention', next, later), NOTHING, [untold]],
    ])('%s', (_, event, withTexts, without) => {
      expect(doubts(replayed([...log, event]).results)).toEqual(withTexts);
      const { results } = replayed([...log, event], { dataKey: () => undefined });
      expect(doubts(results).filter((doubt) => !doubt.endsWith('texts-missing'))).toEqual(without);
    });

    it('is the one by retention alone', () => {
      const events = [...log, alphaConsents, betaConsents];
      const told = { ...by(of(retentionDays), due, 'consent'), revision: next + 2 };
      expect(doubts(replayed([...events, told]).results)).toEqual([
        `own@${next + 2} transition failed data-malformed`,
      ]);
      const untold = { ...by(null, ended, 'consent'), revision: next + 2 };
      expect(doubts(replayed([...events, untold]).results)).toEqual([]);
    });

    it.each<[string, unknown]>([
      ['is missing', undefined],
      ['has no end', { days: 30 }],
      ['has no number of days', { ...of(30), days: 1.5 }],
      ['has more', { ...of(30), more: 1 }],
    ])('is malformed where what it tells %s', (_, retention) => {
      const { retention: _told, ...data } = by(null, later).data;
      const event = {
        ...by(null, later),
        data: (retention === undefined ? data : { ...data, retention }) as EventEnvelope['data'],
      };
      expect(doubts(replayed([...log, event]).results)).toEqual([
        `own@${next} event-data failed data-malformed`,
      ]);
    });
  });

  it.each([
    [29, ['failed illegal-transition']],
    [30, []],
    [365, []],
    [366, ['failed illegal-transition']],
  ])('of terms that nobody agreed to, after %i days', (days, expected) => {
    const rejected = golden('rejected');
    const stream = `interaction-${rejected.document.interactionId}`;
    const until = new Date(
      Date.parse(rejected.document.updatedAt) + days * 86_400_000,
    ).toISOString() as Timestamp;
    const event = {
      ...envelope(
        stream,
        rejected.events.length,
        'texts-erased',
        {
          interactionId: rejected.document.interactionId,
          ground: 'retention',
          retention: { days, until },
        },
        until,
      ),
      schemaVersion: 2,
    };
    const { results } = replayed([...preludeOf(rejected), ...rejected.events, event], {
      dataKey: () => undefined,
    });
    const found = results.filter(
      ({ check, subject, result }) =>
        check === 'transition' &&
        subject === `${stream}@${event.revision}` &&
        result !== 'verified',
    );
    expect(found.map(({ result, reason }) => `${result} ${reason}`)).toEqual(expected);
  });

  it('before the end it is nothing that can happen', () => {
    const events = [...log.slice(0, FIRST + 4), erased('retention', 4, momentOf(FIRST + 3))];
    expect(doubts(replayed(events).results)).toEqual([
      'own@4 transition failed illegal-transition',
    ]);
  });
});
