import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { interactionDocument } from '../../src/interactions/domain/document.js';
import type { InteractionEvent } from '../../src/interactions/domain/events.js';
import { interactionStatus } from '../../src/interactions/domain/status.js';
import { INTERACTION_EVENT_TYPES } from '../../src/interactions/event-types.js';
import { verifyAttestation } from '../../src/kernel/attestation.js';
import { canonicalJson } from '../../src/kernel/canonical-json.js';
import type { Ed25519Jwk } from '../../src/kernel/ed25519.js';
import { ERASED, type Recorded } from '../../src/kernel/event.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import {
  makeStatement,
  reasonHash,
  reportHash,
  verifyStatement,
  type AcceptanceStatement,
  type ErasureConsentStatement,
} from '../../src/kernel/statements.js';
import { termsHash } from '../../src/kernel/terms.js';
import { validateInteraction } from '../../src/kernel/wire-schema.js';
import { eventFaults, schemaFaults } from '../support/event-schemas.js';
import { foldInteraction } from '../support/interaction-fixtures.js';
import {
  expectSchemasToHold,
  readStored,
  replay,
  replayErased,
  type StoredLog,
} from './stored-log.js';

/** Stored logs, and the documents and statuses that they folded to. */
interface Golden extends StoredLog {
  readonly keys: Readonly<Record<string, Ed25519Jwk>>;
  readonly platformKeys: Readonly<Record<string, Ed25519Jwk>>;
  readonly document: FederatedInteraction;
  readonly status: object;
}

const folder = new URL('./interactions/', import.meta.url);
const logs = readdirSync(folder).map(
  (name) => [name, readStored<Golden>(new URL(name, folder))] as const,
);

/** Logs whose data keys were destroyed: sealed texts that nothing opens any more. */
const erasedFolder = new URL('./interactions-erased/', import.meta.url);
const erasedLogs = readdirSync(erasedFolder).map(
  (name) => [name, readStored<Omit<Golden, 'document'>>(new URL(name, erasedFolder))] as const,
);

function stateOf(events: readonly Recorded<InteractionEvent>[]) {
  const state = foldInteraction(events);
  if (state === undefined) throw new Error('a log has events');
  return state;
}

it('the logs hold every type of event', () => {
  const all = [...logs, ...erasedLogs];
  const types = new Set(all.flatMap(([, { events }]) => events.map(({ type }) => type)));
  expect([...types].sort()).toEqual(Object.keys(INTERACTION_EVENT_TYPES).sort());
});

describe.each(logs)('%s', (_, golden) => {
  const { keys, platformKeys, document, status } = golden;
  const types = INTERACTION_EVENT_TYPES;
  let events: readonly Recorded<InteractionEvent>[];

  beforeAll(() => {
    events = replay<InteractionEvent>(golden, types);
  });

  it('matches the schemas of its events', () => {
    expectSchemasToHold(golden, types);
  });

  it('folds to the same document, byte for byte', () => {
    const folded = interactionDocument(stateOf(events));
    expect(canonicalJson(folded)).toBe(canonicalJson(document));
  });

  it('folds to the same status', () => {
    expect(interactionStatus(stateOf(events))).toEqual(status);
  });

  it('folds to a document of the wire schema', () => {
    expect(validateInteraction(document)).toMatchObject({ ok: true });
  });

  it('folds without its texts, to a document that says so', () => {
    const erased = replayErased<InteractionEvent>(golden, types);
    expect(interactionDocument(stateOf(erased))).toBe(ERASED);
  });

  it('holds the hashes of its texts', () => {
    for (const { data, texts } of events) {
      if (texts === null || texts === ERASED) continue;
      if ('contract' in texts) expect(data).toMatchObject({ termsHash: termsHash(texts.contract) });
      if ('reason' in texts) {
        expect(data).toMatchObject({ reasonHash: reasonHash(texts.reason ?? undefined) });
      }
      if ('report' in texts) expect(data).toMatchObject({ reportHash: reportHash(texts.report) });
    }
  });

  it('holds signatures that verify', () => {
    const { audience } = stateOf(events);
    for (const revision of document.contractRevisions) {
      for (const acceptance of Object.values(revision.acceptances)) {
        if (acceptance.signature === undefined) continue;
        const key = keys[acceptance.signature.keyId];
        const statement = makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
          audience,
          interactionId: document.interactionId,
          revision: revision.revision,
          previousTermsHash: revision.previousTermsHash ?? null,
          termsHash: revision.termsHash,
          expiresAt: revision.expiresAt,
          agentId: acceptance.agentId,
          method: 'ed25519',
          acceptedAt: acceptance.acceptedAt,
        });
        const { value } = acceptance.signature;
        expect(key !== undefined && verifyStatement(key, statement, value)).toBe(true);
      }
      const attestedBy = platformKeys[revision.platformAttestation?.keyId ?? ''];
      const isAttested = attestedBy !== undefined && verifyAttestation(revision, attestedBy);
      expect(isAttested).toBe(revision.status === 'accepted');
    }
  });
});

describe.each(erasedLogs)('erased: %s', (_, golden) => {
  const { status } = golden;
  const events = replayErased<InteractionEvent>(golden, INTERACTION_EVENT_TYPES);

  it('matches the schemas of its events', () => {
    for (const envelope of golden.events) {
      const { type, schemaVersion, data, sealed, salt, metadata } = envelope;
      const content = { type, schemaVersion, data, sealed, salt, metadata };
      const texts = sealed === null ? { texts: null } : {};
      expect(schemaFaults('envelope', envelope)).toEqual([]);
      expect([type, eventFaults({ ...content, ...texts })]).toEqual([type, []]);
    }
  });

  it('folds to the same status, and to a document that says that it is erased', () => {
    const state = stateOf(events);
    expect(interactionStatus(state)).toEqual(status);
    expect(state.erasure).not.toBeNull();
    expect(interactionDocument(state)).toBe(ERASED);
  });

  it('says on what ground, and of a retention for how long, where the stored form does', () => {
    const erasure = events.find(({ type }) => type === 'texts-erased');
    const stored = golden.events.find(({ type }) => type === 'texts-erased');
    expect(erasure?.data).toEqual({ retention: null, ...stored?.data });
  });
});

const consented = erasedLogs.filter(([, { events }]) =>
  events.some(({ type }) => type === 'erasure-consented'),
);

describe.each(consented)('erased with consent: %s', (_, golden) => {
  const { keys } = golden;
  const events = replayErased<InteractionEvent>(golden, INTERACTION_EVENT_TYPES);

  it('holds signatures of the consents that verify', () => {
    const { audience, interactionId } = stateOf(events);
    let verified = 0;
    for (const { type, data } of events) {
      if (type !== 'erasure-consented') continue;
      const { agentId, signedAt, signature } = data;
      if (signedAt === null || signature === null) continue;
      const key = keys[signature.keyId];
      const statement = makeStatement<ErasureConsentStatement>(
        'federated-interaction/erasure-consent',
        { audience, interactionId, agentId, signedAt },
      );
      expect(key !== undefined && verifyStatement(key, statement, signature.value)).toBe(true);
      verified++;
    }
    expect(verified).toBeGreaterThan(0);
  });
});
