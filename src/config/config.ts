import type { NoteKey } from '../kernel/note-key.js';
import type { A2aConfig } from './hosted-agents.js';
import type { EventStoreLocation, ForgettingLocation, SqliteLocation } from './store-location.js';

/** The whole configuration, read once at the start. Frozen; nothing else reads the environment. */
export interface Config {
  /** `development` only with COUNTERSIGN_DEV=1, on loopback addresses. */
  readonly mode: 'production' | 'development';
  readonly listen: { readonly host: string; readonly port: number };
  /** The audience of every signed statement: no trailing slash, path or query. */
  readonly publicBaseUrl: string;
  /** Where relative paths below and, in development, generated keys live. */
  readonly dataFolder: string;
  readonly eventStore: EventStoreLocation;
  readonly keyStore: ForgettingLocation;
  /** A file of this node's own, whatever the engine of the log: views are made anew from it. */
  readonly readModel: SqliteLocation;
  readonly transparencyLog: TransparencyLogConfig;
  /** Name of this node among those that share a log; part of leases. */
  readonly nodeId: string;
  readonly tokens: TokenTrust;
  readonly platformKeys: PlatformKeySource;
  /** How far a signed moment may lie from the server's clock, in milliseconds. */
  readonly signingLeewayMs: number;
  /** Longest wait of a read for a position token, in milliseconds. */
  readonly readWaitMs: number;
  readonly a2a: A2aConfig;
}

/** The transparency log as this node builds, signs and serves it. */
export interface TransparencyLogConfig {
  /** The Merkle tree: a file of this node's own, made anew from the log. */
  readonly tree: SqliteLocation;
  /** Time between two checkpoints while events are added, in milliseconds. */
  readonly checkpointIntervalMs: number;
  /** Keeps the newest checkpoint that this node signed or saw: a file of its own, never to be lost. */
  readonly checkpointFile: string;
  /** Whose cosignatures count: keys of the algorithm `cosignature/v1`. */
  readonly witnesses: readonly NoteKey[];
}

/** Whose access tokens are believed. */
export type TokenTrust = OidcTrust | DevIssuerTrust;

export interface OidcTrust {
  readonly kind: 'oidc';
  /** Compared exactly with `iss`. */
  readonly issuer: string;
  readonly audience: string;
  /** Null: found through the issuer's discovery document. */
  readonly jwksUri: string | null;
  readonly claims: ClaimNames;
  /** How far the issuer's clock may be off, in seconds. */
  readonly leewaySeconds: number;
}

/** The service's own issuer: its key pair lies in the data folder, a command mints tokens. */
export interface DevIssuerTrust {
  readonly kind: 'dev-issuer';
  /** The private JWK; made at the first start, readable by its owner alone. */
  readonly keyFile: string;
  readonly leewaySeconds: number;
}

/** Under which names a token tells agent and tenant. */
export interface ClaimNames {
  readonly agent: string;
  readonly tenant: string;
}

/** A JWK Set of the platform's private keys: see `platform-key-file.ts`. */
export interface PlatformKeySource {
  readonly file: string;
  /** True in development: the file is made at the first start. */
  readonly generate: boolean;
}
