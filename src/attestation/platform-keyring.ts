import type { KeyObject } from 'node:crypto';
import { attestRevision } from '../kernel/attestation.js';
import { hashJson } from '../kernel/digest.js';
import { signEd25519, type Ed25519Jwk } from '../kernel/ed25519.js';
import type { PlatformAttestation, UnattestedRevision } from '../kernel/federated-interaction.js';
import type { KeyId } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import type { Timestamp } from '../kernel/timestamp.js';
import type { CommandExecution } from '../event-store/command-execution.js';
import { signBackendToken } from './backend-token.js';
import { PLATFORM_KEYS_STREAM, type PlatformKeyEvent } from './domain/events.js';
import type { PlatformKeyPurpose, PlatformKeys } from './domain/platform-key.js';
import { chooseKey, type RegisterPlatformKeys } from './domain/register.js';
import type { HeldKey } from './platform-key-file.js';

/** Signs for the platform, as the log stood at `basedOn`. */
export interface Attester {
  /** {@link attestRevision} with the current attestation key. */
  readonly attest: (revision: UnattestedRevision) => PlatformAttestation;
  /** For the event's metadata: the head of the platform's keys that the choice was made on. */
  readonly basedOn: Readonly<Record<string, number>>;
  /** When that head was recorded, by the clock of the node that did: nothing is dated before it. */
  readonly recordedAt: Timestamp;
}

/** Signs agent cards. */
export interface CardSigner {
  readonly keyId: KeyId;
  /** b64u of the Ed25519 signature over the text's UTF-8 bytes. */
  readonly sign: (text: string) => string;
}

/** Signs checkpoints of the transparency log. */
export interface CheckpointKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  /** b64u of the Ed25519 signature over the text's UTF-8 bytes. */
  readonly sign: (text: string) => string;
}

/** Signs the tokens that backends get. */
export interface BackendTokenSigner {
  readonly sign: (claims: JsonObject) => Promise<string>;
}

export type PlatformKeyExecution = CommandExecution<
  PlatformKeys,
  RegisterPlatformKeys,
  PlatformKeyEvent,
  undefined
>;

/** Who registers keys in the log: a process of the service, no caller. */
const ACTOR = { principal: 'process:platform-keys', agent: null, tenant: null };

/**
 * The platform's keys: their history from the log, and the private halves that this node holds.
 * Every use asks the log first, so that a takeover or a revocation recorded by another node counts
 * at once.
 */
export class PlatformKeyring {
  constructor(
    private readonly execution: PlatformKeyExecution,
    /** In the configuration's order. */
    private readonly held: readonly HeldKey[],
    private readonly newId: () => string,
  ) {}

  /**
   * Records this node's keys in the log; to be called once, at the start. Nothing happens when the
   * log knows them all. Refuses with `key-id-taken`, `key-exists`, `attestation-unavailable` (every
   * configured attestation key is retired or revoked) and `contention`.
   */
  async register(): Promise<Result<undefined, Rejection>> {
    const keys = this.held.map(({ keyId, purpose, jwk, revoked }) => ({
      keyId,
      purpose,
      jwk,
      revoked,
    }));
    const commandId = this.newId();
    const executed = await this.execution.execute(
      PLATFORM_KEYS_STREAM,
      { keys },
      {
        commandId,
        requestDigest: hashJson(keys),
        actor: ACTOR,
        correlationId: commandId,
        causationId: null,
        traceparent: null,
      },
      () => Promise.resolve(ok({ context: undefined, basedOn: {} })),
    );
    if (!executed.ok) return executed;
    const signer = this.#signer(executed.value.state, 'attestation');
    return signer === undefined ? err({ code: 'attestation-unavailable' }) : ok(undefined);
  }

  /** Every key that ever was, in the order of their registration, as the log knows them now. */
  async keys(): Promise<PlatformKeys> {
    return (await this.execution.repository.load(PLATFORM_KEYS_STREAM)).state;
  }

  /** Refuses with `attestation-unavailable` when this node holds no key that may attest now. */
  async attester(): Promise<Result<Attester, Rejection>> {
    const { state, revision, recordedAt } =
      await this.execution.repository.load(PLATFORM_KEYS_STREAM);
    const signer = this.#signer(state, 'attestation');
    if (signer === undefined || recordedAt === undefined)
      return err({ code: 'attestation-unavailable' });
    return ok({
      attest: (document) => attestRevision(document, signer.keyId, signer.privateKey),
      basedOn: { [PLATFORM_KEYS_STREAM]: revision },
      recordedAt,
    });
  }

  /** Refuses with `card-key-unavailable` when this node holds no key that may sign cards now. */
  async cardSigner(): Promise<Result<CardSigner, Rejection>> {
    const { state } = await this.execution.repository.load(PLATFORM_KEYS_STREAM);
    const signer = this.#signer(state, 'card');
    if (signer === undefined) return err({ code: 'card-key-unavailable' });
    const { keyId, privateKey } = signer;
    return ok({ keyId, sign: (text) => signEd25519(privateKey, text) });
  }

  /** Undefined when this node holds no platform key that may sign checkpoints now: it signs none. */
  async checkpointKey(): Promise<CheckpointKey | undefined> {
    const { state } = await this.execution.repository.load(PLATFORM_KEYS_STREAM);
    const signer = this.#signer(state, 'checkpoint');
    if (signer === undefined) return undefined;
    const { keyId, jwk, privateKey } = signer;
    return { keyId, jwk, sign: (text) => signEd25519(privateKey, text) };
  }

  /** Refuses with `backend-token-key-unavailable` when this node holds no key that may sign them now. */
  async backendTokenSigner(): Promise<Result<BackendTokenSigner, Rejection>> {
    const { state } = await this.execution.repository.load(PLATFORM_KEYS_STREAM);
    const signer = this.#signer(state, 'backend-token');
    if (signer === undefined) return err({ code: 'backend-token-key-unavailable' });
    const { keyId, privateKey } = signer;
    return ok({ sign: (claims) => signBackendToken(keyId, privateKey, claims) });
  }

  #signer(
    known: PlatformKeys,
    purpose: PlatformKeyPurpose,
  ): { keyId: KeyId; jwk: Ed25519Jwk; privateKey: KeyObject } | undefined {
    const candidates = this.held.filter((key) => key.purpose === purpose && known.has(key.keyId));
    const chosen = chooseKey(known, candidates);
    if (chosen === undefined || chosen.privateKey === null) return undefined;
    const { keyId, jwk, privateKey } = chosen;
    return { keyId, jwk, privateKey };
  }
}
