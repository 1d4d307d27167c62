import { randomUUID, type KeyObject } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { privateKeyObject, signEd25519, type Ed25519PrivateJwk } from '../src/kernel/ed25519.js';
import type { Contract } from '../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId, TermsHash } from '../src/kernel/ids.js';
import {
  makeStatement,
  statementText,
  type AcceptanceStatement,
} from '../src/kernel/statements.js';
import { termsHash } from '../src/kernel/terms.js';
import { timestampOf, type Timestamp } from '../src/kernel/timestamp.js';
import { KeptConnection } from './lib/kept-connection.js';

/** One agent as the load generator drives it. */
export interface BenchAgent {
  readonly agentId: AgentId;
  readonly keyId: string;
  readonly jwk: Ed25519PrivateJwk;
  readonly token: string;
}

/** What the parent process asks of the load generator. */
export interface Load {
  readonly port: number;
  readonly audience: string;
  readonly alpha: BenchAgent;
  readonly beta: BenchAgent;
  readonly concurrency: number;
  readonly milliseconds: number;
}

export interface LoadResult {
  readonly flows: number;
  readonly seconds: number;
  /** Milliseconds per request, sorted. */
  readonly latencies: readonly number[];
  /** CPU seconds that the load generator itself used. */
  readonly cpuSeconds: number;
}

export function sampleContract(interactionId: string, alpha: AgentId, beta: AgentId): Contract {
  return {
    protocolVersion: '0.1',
    interactionId: interactionId as InteractionId,
    purpose: 'Translate a leaflet of twelve sections into German',
    parties: [alpha, beta],
    taskCategory: 'translation',
    requestedOutcome: 'A German text, naïve “quotes” kept',
    successCriteria: ['All 12 sections present'],
    allowedActions: ['translate'],
    prohibitedActions: ['publish'],
    allowedData: [],
    prohibitedData: ['credentials'],
    deadline: '2099-01-02T03:04:05.000Z' as Timestamp,
    evidenceRequirements: ['checksum'],
    delegationRules: [],
    humanApprovalRequirements: [],
    factCheckingPolicy: 'important_claims',
    mediationPolicy: 'mutual_consent',
    retentionDays: 30,
    completionConditions: ['delivered'],
    cancellationConditions: ['either_party_before_completion'],
    signatures: {},
  };
}

/** The acceptance statement of one agent, ready to be signed or verified. */
export function acceptanceText(members: {
  readonly audience: string;
  readonly interactionId: string;
  readonly termsHash: TermsHash;
  readonly expiresAt: Timestamp;
  readonly agentId: AgentId;
  readonly acceptedAt: Timestamp;
}): string {
  return statementText(
    makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
      ...members,
      interactionId: members.interactionId as InteractionId,
      revision: 1,
      previousTermsHash: null,
      method: 'ed25519',
    }),
  );
}

async function runLoad(load: Load): Promise<LoadResult> {
  const keys = {
    alpha: privateKeyObject(load.alpha.jwk),
    beta: privateKeyObject(load.beta.jwk),
  };
  const latencies: number[] = [];
  let flows = 0;
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const end = started + load.milliseconds;

  const post = async (
    connection: KeptConnection,
    path: string,
    token: string,
    body: unknown,
  ): Promise<void> => {
    const sent = performance.now();
    const { status, text } = await connection.post(path, token, JSON.stringify(body));
    latencies.push(performance.now() - sent);
    if (status !== 201) throw new Error(`${path}: ${String(status)} ${text}`);
  };

  const acceptance = (
    agent: BenchAgent,
    key: KeyObject,
    interactionId: string,
    hash: TermsHash,
    expiresAt: Timestamp,
  ): object => {
    const acceptedAt = timestampOf(Date.now());
    const text = acceptanceText({
      audience: load.audience,
      interactionId,
      termsHash: hash,
      expiresAt,
      agentId: agent.agentId,
      acceptedAt,
    });
    return { keyId: agent.keyId, value: signEd25519(key, text), acceptedAt };
  };

  const client = async (): Promise<void> => {
    const connection = await KeptConnection.open(load.port);
    while (performance.now() < end) {
      const interactionId = randomUUID();
      const contract = sampleContract(interactionId, load.alpha.agentId, load.beta.agentId);
      const hash = termsHash(contract);
      const expiresAt = timestampOf(Date.now() + 3_600_000);
      await post(connection, '/v1/interactions', load.alpha.token, {
        interactionId,
        agentId: load.alpha.agentId,
        responderAgentId: load.beta.agentId,
        contract,
        expiresAt,
        acceptance: acceptance(load.alpha, keys.alpha, interactionId, hash, expiresAt),
      });
      await post(connection, `/v1/interactions/${interactionId}/acceptances`, load.beta.token, {
        agentId: load.beta.agentId,
        head: { revision: 1, status: 'proposed', termsHash: hash },
        acceptance: acceptance(load.beta, keys.beta, interactionId, hash, expiresAt),
      });
      flows++;
    }
    connection.close();
  };

  await Promise.all(Array.from({ length: load.concurrency }, client));
  const seconds = (performance.now() - started) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  return {
    flows,
    seconds,
    latencies: latencies.sort((a, b) => a - b),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

// Run as a child process: one load per message, one result per load.
if (process.send !== undefined) {
  process.on('message', (load: Load) => {
    runLoad(load).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
}
