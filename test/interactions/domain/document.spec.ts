import { describe, expect, it } from '@jest/globals';
import { interactionDocument } from '../../../src/interactions/domain/document.js';
import { newestRevision } from '../../../src/interactions/domain/revisions.js';
import { verifyAttestation } from '../../../src/kernel/attestation.js';
import { canonicalJson } from '../../../src/kernel/canonical-json.js';
import { ERASED } from '../../../src/kernel/event.js';
import type { FederatedInteraction } from '../../../src/kernel/federated-interaction.js';
import { validateInteraction } from '../../../src/kernel/wire-schema.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  contract,
  expire,
  EXPIRES_MS,
  party,
  platformKey,
  propose,
  reject,
  revise,
  Scene,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

function documentOf(scene: Scene): FederatedInteraction {
  const document = interactionDocument(scene.interaction);
  if (document === ERASED) throw new Error('nothing is erased here');
  return document;
}

const existing = Object.entries(STATES).filter(
  ([state]) => state !== 'none' && state !== 'erased-by-retention',
);

describe.each(existing)('the document of state %s', (_, scene) => {
  it('is valid by the wire schema', () => {
    expect(validateInteraction(documentOf(scene))).toMatchObject({ ok: true });
  });

  it('is the same after a round trip through JSON', () => {
    const document = documentOf(scene);
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it('repeats the expiry in every revision', () => {
    const document = documentOf(scene);
    for (const revision of document.contractRevisions) {
      expect(revision.expiresAt).toBe(document.expiresAt);
    }
  });
});

describe('the top level of the document shows', () => {
  const counter = contract({ retentionDays: 10 });
  const amendment = contract({ retentionDays: 5 });
  const pending = Scene.empty.perform(propose(alpha), revise(beta, counter));
  const active = pending.perform(accept(alpha));
  const open = active.perform(revise(alpha, amendment));
  const amended = open.perform(accept(beta));

  it.each([
    ['the newest proposal while pending', pending, 2, 'pending'],
    ['the terms in force while active', active, 2, 'active'],
    ['the terms in force beside an open amendment', open, 2, 'active'],
    ['the amendment once it is in force', amended, 3, 'active'],
    [
      'the newest proposal after an end without terms',
      pending.perform(reject(alpha)),
      2,
      'rejected',
    ],
    ['the last terms in force after an end', open.perform(cancel(beta)), 2, 'cancelled'],
    ['the last terms in force at expiry', open.at(EXPIRES_MS), 2, 'expired'],
  ] as const)('%s', (_, scene, shown, status) => {
    const document = documentOf(scene);
    const revision = document.contractRevisions[shown - 1];
    expect(document.status).toBe(status);
    expect(document.contractRevision).toBe(shown);
    expect(document.contract).toEqual(revision?.contract);
    expect(document.termsHash).toBe(revision?.termsHash);
    expect(document.acceptances).toEqual(revision?.acceptances);
  });

  it('carries an attestation of exactly the revision that it shows', () => {
    for (const revision of documentOf(amended).contractRevisions) {
      expect(revision.platformAttestation !== undefined).toBe(revision.status === 'accepted');
      expect(verifyAttestation(revision, platformKey.jwk)).toBe(revision.status === 'accepted');
    }
  });
});

describe('agents whose ids are names of JavaScript', () => {
  const first = party('constructor', 11);
  const second = party('toString', 12);
  const third = party('toJSON', 13);
  const fourth = party('valueOf', 14);
  const parties = [first, second, third, fourth];
  const terms = contract({ parties: parties.map(({ agentId }) => agentId) });
  const scene = Scene.empty
    .with(...parties)
    .perform(
      propose(first, { contract: terms, responder: second.agentId }),
      accept(second),
      accept(third),
      accept(fourth),
    );

  it('are names like any other', () => {
    const document = documentOf(scene);
    expect(document.status).toBe('active');
    expect(Object.keys(document.acceptances)).toEqual([
      'constructor',
      'toString',
      'toJSON',
      'valueOf',
    ]);
    for (const { agentId } of parties) {
      expect(document.acceptances[agentId]?.agentId).toBe(agentId);
    }
    expect(validateInteraction(document)).toMatchObject({ ok: true });
    expect(canonicalJson(JSON.parse(JSON.stringify(document)))).toBe(canonicalJson(document));
  });

  it('have accepted nothing that they did not accept', () => {
    const proposed = Scene.empty
      .with(...parties)
      .perform(propose(first, { contract: terms, responder: second.agentId }));
    expect(newestRevision(proposed.interaction).acceptances.has(second.agentId)).toBe(false);
    expect(Object.hasOwn(documentOf(proposed).acceptances, 'toString')).toBe(false);
  });
});

describe('a computed and a recorded expiry', () => {
  it.each([
    ['pending', STATES['pending-r1']],
    ['active', STATES.active],
    ['active with an open amendment', STATES['active-with-open-amendment']],
    ['partly reported', STATES['active-partly-reported']],
  ] as const)('show the same bytes: %s', (_, scene) => {
    const due = scene.at(EXPIRES_MS + 12_345);
    const recorded = due.perform(expire());
    expect(JSON.stringify(documentOf(due))).toBe(JSON.stringify(documentOf(recorded)));
    expect(due.interaction).toEqual(recorded.interaction);
    expect(documentOf(due)).toMatchObject({
      status: 'expired',
      updatedAt: due.interaction.expiresAt,
    });
  });
});

describe('an interaction whose texts are erased', () => {
  it.each(existing)('has no document in state %s, and folds all the same', (_, scene) => {
    expect(interactionDocument(scene.erased().interaction)).toBe(ERASED);
  });

  it('keeps ids, hashes, signatures and times', () => {
    const scene = STATES['active-with-open-amendment'];
    const strip = (of: Scene) =>
      of.interaction.revisions.map((revision) => ({ ...revision, contract: null }));
    expect(strip(scene.erased())).toEqual(strip(scene));
  });
});
