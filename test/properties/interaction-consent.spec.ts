import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { verify, createPublicKey } from 'node:crypto';
import type { Agent } from '../../src/agents/domain/agent.js';
import { verifyAttestation } from '../../src/kernel/attestation.js';
import { canonicalJson } from '../../src/kernel/canonical-json.js';
import type { Acceptance, ContractRevision } from '../../src/kernel/federated-interaction.js';
import { ERASED } from '../../src/kernel/event.js';
import { termsHash } from '../../src/kernel/terms.js';
import { isBefore } from '../../src/kernel/timestamp.js';
import { interactionDocument, revisionDocument } from '../../src/interactions/domain/document.js';
import type { Interaction, Revision } from '../../src/interactions/domain/interaction.js';
import { AUDIENCE, platformKey, type Scene } from '../support/interaction-fixtures.js';
import { play, story, type Step } from '../support/interaction-model.js';
import { RUNS } from '../support/property-runs.js';

/** Nothing comes into force without everybody's consent: random stories against an own verifier. */

function revisionsOf(scene: Scene): readonly Revision[] {
  return scene.state?.revisions ?? [];
}

function documentOf(interaction: Interaction, revision: Revision): ContractRevision {
  const document = revisionDocument(interaction, revision);
  if (document === ERASED) throw new Error('nothing is erased here');
  return document;
}

/** Written out by hand, so that it does not share a mistake with what it checks. */
function isAuthentic(
  acceptance: Acceptance,
  agent: Agent | undefined,
  revision: ContractRevision,
  recorded: Scene,
): boolean {
  if (agent === undefined || !agent.methods.includes(acceptance.method)) return false;
  if (acceptance.method !== 'ed25519') {
    return acceptance.signature === undefined && acceptance.acceptedAt === recorded.now;
  }
  const key = acceptance.signature && agent.keys.get(acceptance.signature.keyId);
  if (key === undefined || isBefore(recorded.now, key.from)) return false;
  if (key.until !== null && !isBefore(recorded.now, key.until)) return false;
  const signed = canonicalJson({
    statement: 'federated-interaction/acceptance',
    protocolVersion: '0.1',
    audience: AUDIENCE,
    interactionId: revision.interactionId,
    revision: revision.revision,
    previousTermsHash: revision.previousTermsHash ?? null,
    termsHash: revision.termsHash,
    expiresAt: revision.expiresAt,
    agentId: agent.agentId,
    method: 'ed25519',
    acceptedAt: acceptance.acceptedAt,
  });
  const publicKey = createPublicKey({ key: { ...key.jwk }, format: 'jwk' });
  const value = Buffer.from(acceptance.signature?.value ?? '', 'base64url');
  return verify(null, Buffer.from(signed), publicKey, value);
}

function acceptancesIn({ decision }: Step): readonly Acceptance[] {
  if (!decision.ok) return [];
  return decision.value.flatMap(({ data }) => ('acceptance' in data ? [data.acceptance] : []));
}

describe('in every story', () => {
  it('each acceptance is authentic by the keys and permissions of its moment', () => {
    fc.assert(
      fc.property(story, (told) => {
        for (const step of play(told)) {
          const { state } = step.after;
          for (const acceptance of acceptancesIn(step)) {
            const revision = revisionsOf(step.after).at(-1);
            if (state === undefined || revision === undefined) throw new Error('it was recorded');
            const agent = step.before.agents.get(acceptance.agentId);
            const document = documentOf(state, revision);
            expect(isAuthentic(acceptance, agent, document, step.before)).toBe(true);
            expect(acceptance.termsHash).toBe(termsHash(document.contract));
          }
        }
      }),
      RUNS,
    );
  });

  it('an accepted revision has exactly the parties’ acceptances of the hash of its own terms', () => {
    fc.assert(
      fc.property(story, (told) => {
        for (const { after } of play(told)) {
          for (const revision of revisionsOf(after)) {
            if (revision.status !== 'accepted') continue;
            const accepted = [...revision.acceptances.values()];
            expect(new Set(accepted.map(({ agentId }) => agentId))).toEqual(
              new Set(after.state?.parties),
            );
            const { contract } = revision;
            expect(new Set(accepted.map((acceptance) => acceptance.termsHash))).toEqual(
              new Set([contract === ERASED ? revision.termsHash : termsHash(contract)]),
            );
          }
        }
      }),
      RUNS,
    );
  });

  it('an interaction is, or was, active only with a revision that every party accepted', () => {
    fc.assert(
      fc.property(story, (told) => {
        for (const { after } of play(told)) {
          const { interaction } = after;
          const inForce = interaction.revisions.findLast(({ status }) => status === 'accepted');
          expect(interaction.inForce).toBe(inForce?.revision ?? null);
          if (interaction.status === 'active' || interaction.status === 'completed') {
            expect(inForce).toBeDefined();
          }
          if (interaction.status === 'pending') expect(inForce).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  it('accepted revisions, and they alone, are attested as they stand', () => {
    fc.assert(
      fc.property(story, (told) => {
        const { interaction } =
          play(told).findLast(({ after }) => after.interaction.erasure === null)?.after ?? {};
        const document = interaction === undefined ? ERASED : interactionDocument(interaction);
        if (document === ERASED) throw new Error('a story begins with a proposal');
        for (const revision of document.contractRevisions) {
          const isAccepted = revision.status === 'accepted';
          expect(verifyAttestation(revision, platformKey.jwk)).toBe(isAccepted);
        }
      }),
      RUNS,
    );
  });

  it('a completed interaction was reported on by every party after the terms came into force', () => {
    fc.assert(
      fc.property(story, (told) => {
        const scene = play(told).at(-1)?.after;
        const interaction = scene?.interaction;
        if (interaction?.status !== 'completed') return;
        const last = scene?.log.findLastIndex(({ type }) => type === 'revision-attested') ?? -1;
        const reporters = scene?.log
          .slice(last)
          .flatMap((event) => (event.type === 'outcome-reported' ? [event.data.agentId] : []));
        expect(new Set(reporters)).toEqual(new Set(interaction.parties));
        expect(reporters).toHaveLength(interaction.parties.length);
      }),
      RUNS,
    );
  });
});
