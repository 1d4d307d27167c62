import { readFileSync } from 'node:fs';
import { encodeBase64Url } from '../../../src/kernel/base64url.js';
import { formatCheckpoint, parseSignedCheckpoint } from '../../../src/kernel/checkpoint.js';
import { jwkThumbprint, signEd25519, type Ed25519Jwk } from '../../../src/kernel/ed25519.js';
import { envelopeText, type EventEnvelope } from '../../../src/kernel/envelope.js';
import type { EvidenceBundle, EvidenceEntry } from '../../../src/kernel/evidence-bundle.js';
import type {
  Acceptance,
  FederatedInteraction,
} from '../../../src/kernel/federated-interaction.js';
import { deriveUuid, type AgentId, type InteractionId } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { EMPTY_ROOT, leafHash, nodeHash } from '../../../src/kernel/merkle.js';
import { noteKey, signNote, type NoteKey } from '../../../src/kernel/note-key.js';
import { formatNote } from '../../../src/kernel/signed-note.js';
import {
  changeHash as hashOfChange,
  makeStatement,
  statementText,
  type Statement,
} from '../../../src/kernel/statements.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import type { Trust } from '../../../src/audit/verify/trust.js';
import {
  AUDIENCE,
  DAY,
  GENEROUS_POLICY,
  signingKey,
  START_MS,
  type SigningKey,
} from '../../support/interaction-fixtures.js';

/** Evidence bundles over logs of real signed events, made by a writer of the tests' own. */

export const ORIGIN = 'countersign.example/log';
const LONG_BEFORE = timestampOf(START_MS - DAY);
const logSigner = signingKey('log', 21);
const witnessSigner = signingKey('witness', 22);
export const logKey = noteKey(ORIGIN, 'ed25519', logSigner.jwk);
export const otherLogKey = noteKey(ORIGIN, 'ed25519', signingKey('other', 23).jwk);
export const witnessKey = noteKey('witness.example/w', 'cosignature/v1', witnessSigner.jwk);

export const trusting = (...keys: readonly NoteKey[]): Trust => ({
  keys,
  checkpoints: [],
  witnesses: [],
});

export const alphaKey = signingKey('agent-alpha#1', 1);
export const betaKey = signingKey('agent-beta#1', 2);
const platformKey = signingKey('platform-vector-key', 9);

/** An event of a stream that nothing in the golden logs tells of. */
export function envelope(
  stream: string,
  revision: number,
  type: string,
  data: object,
  recordedAt: Timestamp = LONG_BEFORE,
  command: string = `${stream}@${revision}`,
  index = 0,
): EventEnvelope {
  const commandId = deriveUuid(['test', 'command', command]);
  return {
    id: deriveUuid(['event', stream, commandId, index]),
    type,
    stream,
    revision,
    recordedAt,
    schemaVersion: 1,
    data: data as JsonObject,
    sealed: null,
    salt: encodeBase64Url(Buffer.alloc(16, revision + 1)),
    metadata: {
      commandId,
      requestDigest: encodeBase64Url(Buffer.alloc(32, 7)),
      actor: { principal: 'somebody', agent: null, tenant: 'tenant' },
      correlationId: 'test',
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  };
}

export function registeredKey(
  agentId: string,
  key: SigningKey,
  at: Timestamp = LONG_BEFORE,
): object {
  const thumbprint = jwkThumbprint(key.jwk);
  const statement = makeStatement<Statement>('agent/key-proof', {
    audience: AUDIENCE,
    agentId: agentId as AgentId,
    jwkThumbprint: thumbprint,
    keyId: key.keyId,
    signedAt: at,
  } as never);
  const value = signEd25519(key.privateKey, statementText(statement));
  return {
    keyId: key.keyId,
    jwk: key.jwk,
    jwkThumbprint: thumbprint,
    proof: { signedAt: at, value },
  };
}

/** What was asked for, as an event's data and its place in the stream tell it: without a reason. */
export function requestOf(type: string, data: object, revision: number): object {
  const { key, replaces, keyId, methods, clients, policy, transport } = data as Record<
    string,
    unknown
  >;
  const expectedRevision = revision - 1;
  switch (type) {
    case 'agent-key-added': {
      const { jwkThumbprint: _, ...submitted } = key as Record<string, unknown>;
      const request = { change: 'add-key', expectedRevision, key: submitted };
      return replaces === null ? request : { ...request, replaces };
    }
    case 'agent-key-revoked':
      return { change: 'revoke-key', expectedRevision, keyId };
    case 'agent-methods-changed':
      return { change: 'change-methods', expectedRevision, methods };
    case 'agent-policy-changed':
      return { change: 'change-policy', expectedRevision, policy };
    case 'agent-clients-changed':
      return { change: 'change-clients', expectedRevision, clients };
    case 'agent-transport-changed':
      return (transport as { readonly managedBy?: string }).managedBy === 'openclasp'
        ? { change: 'change-transport', expectedRevision, hosted: true }
        : { change: 'change-transport', expectedRevision, transport };
    case 'agent-retired':
      return { change: 'retire', expectedRevision };
    default:
      throw new Error(`${type} is no change of an agent`);
  }
}

/** What entitles to the change that this request asks for, signed by one of the agent's keys. */
export function signedChange(
  agentId: string,
  by: SigningKey,
  request: object,
  at: Timestamp = LONG_BEFORE,
): object {
  const changeHash = hashOfChange(request);
  const statement = makeStatement<Statement>('agent/change', {
    audience: AUDIENCE,
    agentId: agentId as AgentId,
    changeHash,
    signedAt: at,
  } as never);
  const value = signEd25519(by.privateKey, statementText(statement));
  return { by: 'signature', keyId: by.keyId, signedAt: at, changeHash, value };
}

export function agentRegistered(
  agentId: string,
  keys: readonly SigningKey[],
  methods: readonly string[] = ['ed25519'],
): EventEnvelope {
  return envelope(`agent-${agentId}`, 0, 'agent-registered', {
    agentId,
    tenant: `tenant-of-${agentId}`,
    owner: `owner-of-${agentId}`,
    clients: [`client-of-${agentId}`],
    keys: keys.map((key) => registeredKey(agentId, key)),
    methods,
    transport: {
      protocol: 'A2A/1.0',
      protocolBinding: 'JSONRPC',
      endpoint: `https://${agentId}.example/a2a`,
      managedBy: 'agent',
    },
  });
}

/** A change that one of the agent's keys signed. */
export function agentChanged(
  agentId: string,
  revision: number,
  type: string,
  data: object,
  by: SigningKey,
  at: Timestamp = LONG_BEFORE,
): EventEnvelope {
  const authorization = signedChange(agentId, by, requestOf(type, data, revision), at);
  return envelope(`agent-${agentId}`, revision, type, { agentId, authorization, ...data }, at);
}

export function platformKeyAdded(key: SigningKey = platformKey, revision = 0): EventEnvelope {
  return envelope('platform-keys', revision, 'platform-key-added', {
    keyId: key.keyId,
    purpose: 'attestation',
    jwk: key.jwk,
    jwkThumbprint: jwkThumbprint(key.jwk),
  });
}

/** A log as the tests' goldens keep it. */
export interface Golden {
  readonly events: readonly EventEnvelope[];
  readonly dataKeys: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, Ed25519Jwk>>;
  readonly document: FederatedInteraction;
}

export function golden(name: string): Golden {
  const url = new URL(`../../golden/interactions/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Golden;
}

const EVERY_METHOD = ['oauth_installation', 'oauth_account', 'policy_auto_accept'];

/** What comes before a golden interaction in the log: its platform key and its parties. */
export function preludeOf({ events, keys }: Golden): readonly EventEnvelope[] {
  const parties = events[0]?.data['parties'] as readonly string[];
  return [platformKeyAdded(), ...parties.flatMap((agentId) => agentOf(agentId, events, keys))];
}

function agentOf(
  agentId: string,
  events: Golden['events'],
  keys: Golden['keys'],
): readonly EventEnvelope[] {
  const accepted = events.map(({ data }) => data['acceptance'] as Acceptance | undefined);
  const used = new Set(
    accepted.flatMap((acceptance) => (acceptance?.agentId === agentId ? [acceptance.method] : [])),
  );
  const jwk = keys[`${agentId}#1`];
  const key = jwk && keyOf(`${agentId}#1`, jwk.x);
  const isSigner = key !== undefined && [...used].every((method) => method === 'ed25519');
  const methods = isSigner ? ['ed25519'] : [...EVERY_METHOD, ...(key ? ['ed25519'] : [])];
  const registered = agentRegistered(agentId, key ? [key] : [], methods);
  if (!used.has('policy_auto_accept') || key === undefined) return [registered];
  // The golden names revision 7 of the policy's stream.
  const changes = Array.from({ length: 7 }, (_, index) =>
    agentChanged(agentId, index + 1, 'agent-policy-changed', { policy: GENEROUS_POLICY }, key),
  );
  return [registered, ...changes];
}

/** The private half of a golden's key: its seed is a small number. */
function keyOf(keyId: string, x: string): SigningKey {
  for (let seed = 1; seed < 50; seed++) {
    const key = signingKey(keyId, seed);
    if (key.jwk.x === x) return key;
  }
  throw new Error(`no seed of ${keyId}`);
}

export interface BundleSpec {
  readonly log: readonly EventEnvelope[];
  readonly document: FederatedInteraction | null;
  readonly dataKey: string | null;
  /** Size of an earlier tree. */
  readonly from?: number;
  /** Leaves of others before the log's own events. */
  readonly before?: number;
}

/** A bundle of the only interaction in the log. */
export function bundleOf({ log, document, dataKey, from, before = 3 }: BundleSpec): EvidenceBundle {
  const foreign = Array.from({ length: before }, (_, index) => leafHash(`foreign ${index}`));
  const leaves = [...foreign, ...log.map((event) => leafHash(envelopeText(event)))];
  const streams: Record<string, EvidenceEntry[]> = {};
  for (const [place, event] of log.entries()) {
    const index = before + place;
    const inclusion = path(index, leaves).map(encodeBase64Url);
    (streams[event.stream] ??= []).push({ index, inclusion, envelope: event });
  }
  const own = log.find(({ stream }) => stream.startsWith('interaction-'))?.stream ?? '';
  return {
    bundle: 'countersign/evidence-bundle',
    version: 1,
    interactionId: own.slice('interaction-'.length) as InteractionId,
    audience: AUDIENCE,
    checkpoint: checkpointNote(leaves),
    consistency:
      from === undefined ? null : { from, proof: consistency(from, leaves).map(encodeBase64Url) },
    streams,
    document,
    dataKey,
  };
}

export function goldenBundle(name: string, spec: Partial<BundleSpec> = {}): EvidenceBundle {
  const told = golden(name);
  const { events, dataKeys, document } = told;
  const [dataKey = null] = Object.values(dataKeys);
  return bundleOf({ log: [...preludeOf(told), ...events], document, dataKey, ...spec });
}

/** A signed and cosigned note of the tree with these leaves. */
export function checkpointNote(leaves: readonly Uint8Array[], size = leaves.length): string {
  const rootHash = rootOf(leaves.slice(0, size));
  const text = formatCheckpoint({ origin: ORIGIN, size, rootHash });
  const signatures = [
    signNote(text, logKey, (message) => signEd25519(logSigner.privateKey, message)),
    signNote(text, witnessKey, (message) => signEd25519(witnessSigner.privateKey, message), 1),
  ];
  return formatNote({ text, signatures });
}

/** The checkpoint of the first `size` leaves of a bundle's log. */
export function earlierCheckpoint(bundle: EvidenceBundle, size: number, before = 3) {
  const told = Object.values(bundle.streams).flat();
  const leaves = Array.from({ length: before }, (_, index) => leafHash(`foreign ${index}`));
  for (const entry of told) {
    if ('envelope' in entry) leaves[entry.index] = leafHash(envelopeText(entry.envelope));
  }
  const parsed = parseSignedCheckpoint(checkpointNote(leaves, size));
  if (parsed === undefined) throw new Error('the tests write readable checkpoints');
  return parsed;
}

// RFC 6962 section 2.1, as it is defined there: by recursion.

function split(size: number): number {
  let k = 1;
  while (k * 2 < size) k *= 2;
  return k;
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return only;
  const k = split(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

function path(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return index < k
    ? [...path(index, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...path(index - k, leaves.slice(k)), rootOf(leaves.slice(0, k))];
}

function consistency(first: number, leaves: readonly Uint8Array[], whole = true): Uint8Array[] {
  if (first === leaves.length) return whole ? [] : [rootOf(leaves)];
  const k = split(leaves.length);
  return first <= k
    ? [...consistency(first, leaves.slice(0, k), whole), rootOf(leaves.slice(k))]
    : [...consistency(first - k, leaves.slice(k), false), rootOf(leaves.slice(0, k))];
}
