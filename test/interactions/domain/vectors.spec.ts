import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { interactionDecider } from '../../../src/interactions/domain/decider.js';
import { revisionDocument } from '../../../src/interactions/domain/document.js';
import { newestRevision } from '../../../src/interactions/domain/revisions.js';
import type {
  Acceptance,
  Contract,
  ContractRevision,
} from '../../../src/kernel/federated-interaction.js';
import { statementText } from '../../../src/kernel/statements.js';
import {
  accept,
  alpha,
  beta,
  propose,
  Scene,
  statementOf,
  type Act,
} from '../../support/interaction-fixtures.js';

interface Vectors {
  readonly keys: Readonly<Record<string, { readonly x: string }>>;
  readonly contract: Contract;
  readonly termsHash: string;
  readonly statements: Readonly<Record<'alpha' | 'beta', string>>;
  readonly acceptances: Readonly<Record<'alpha' | 'beta', Acceptance>>;
  readonly attestedRevision: ContractRevision;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/acceptance-and-attestation.json', import.meta.url), 'utf8'),
) as Vectors;

/** Decides with the vector's own revision id, which the decider takes as an argument. */
function perform(scene: Scene, act: Act): Scene {
  const { command, caller } = act(scene);
  const newId = () => vectors.attestedRevision.revisionId;
  const context = { ...scene.context, caller, newId };
  const decision = interactionDecider.decide(scene.state, command, context);
  if (!decision.ok) throw new Error(decision.error.code);
  return scene.record(decision.value);
}

const { expiresAt } = vectors.attestedRevision;
const atStart = Scene.empty.at(Date.parse(vectors.acceptances.alpha.acceptedAt));
const proposal = propose(alpha, { contract: vectors.contract, expiresAt });
const proposed = perform(atStart, proposal).at(Date.parse(vectors.acceptances.beta.acceptedAt));
const accepted = perform(proposed, accept(beta));

describe('given the times, ids and keys of the vectors, the decider comes to the same', () => {
  it('keys', () => {
    expect(alpha.key?.jwk.x).toBe(vectors.keys['agent-alpha#1']?.x);
    expect(beta.key?.jwk.x).toBe(vectors.keys['agent-beta#1']?.x);
  });

  it('terms hash', () => {
    expect(newestRevision(accepted.interaction).termsHash).toBe(vectors.termsHash);
  });

  it('statements', () => {
    const signed = (scene: Scene, act: Act) =>
      statementText(statementOf(scene, act(scene).command as never, scene.now));
    expect(signed(atStart, proposal)).toBe(vectors.statements.alpha);
    expect(signed(proposed, accept(beta))).toBe(vectors.statements.beta);
  });

  it('acceptances, signatures included', () => {
    const { acceptances } = newestRevision(accepted.interaction);
    expect(acceptances.get(alpha.agentId)).toEqual(vectors.acceptances.alpha);
    expect(acceptances.get(beta.agentId)).toEqual(vectors.acceptances.beta);
  });

  it('attestation: digest and value', () => {
    expect(newestRevision(accepted.interaction).attestation).toEqual(
      vectors.attestedRevision.platformAttestation,
    );
  });

  it('revision document, byte for byte', () => {
    const document = revisionDocument(accepted.interaction, newestRevision(accepted.interaction));
    expect(JSON.stringify(document)).toBe(JSON.stringify(vectors.attestedRevision));
  });
});
