import type { EventEnvelope, Sealed } from '../../../src/kernel/envelope.js';
import type { AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import {
  changed,
  registered,
  retired,
  signingKey,
  type Party,
  type SigningKey,
} from '../../support/interaction-fixtures.js';
import { agentChanged, registeredKey } from './bundles.js';

/** A change of a party's agent, its first: as the directory has it from then on, and as the log tells it. */
export interface PartyChange {
  readonly who: Party;
  readonly event: EventEnvelope;
}

/** A change that is made at whatever moment the interaction has come to. */
export type ChangeAt = (nowMs: number) => PartyChange;

/** Its texts are sealed, as those of a revocation are. */
export function retirementOf(who: Party): ChangeAt {
  return (nowMs) => {
    const event = changeOf(who, 'agent-retired', { reasonHash: null }, timestampOf(nowMs));
    return { who: retired(who), event: { ...event, sealed: 'A'.repeat(40) as Sealed } };
  };
}

export function methodsOf(who: Party, methods: readonly AcceptanceMethod[]): ChangeAt {
  return (nowMs) => ({
    who: changed(who, { methods }),
    event: changeOf(who, 'agent-methods-changed', { methods }, timestampOf(nowMs)),
  });
}

export function revocationOf(who: Party): ChangeAt {
  return (nowMs) => {
    const at = timestampOf(nowMs);
    const { keyId } = keyOf(who);
    const event = changeOf(who, 'agent-key-revoked', { keyId, reasonHash: null }, at);
    return {
      who: withKeys(who, [registered(keyOf(who), { until: at, revokedAt: at })]),
      event: { ...event, sealed: 'A'.repeat(40) as Sealed },
    };
  };
}

/** By another key, which goes on. */
export function replacementOf(who: Party): ChangeAt {
  return (nowMs) => {
    const at = timestampOf(nowMs);
    const key = keyOf(who);
    const another = nextKeyOf(who);
    return {
      who: withKeys(who, [registered(key, { until: at }), registered(another, { from: at })]),
      event: additionOf(who, another, at, key.keyId),
    };
  };
}

/** A key that is dated a minute ahead, as by a node whose clock is. */
export function newKeyAheadOf(who: Party): ChangeAt {
  return (nowMs) => {
    const at = timestampOf(nowMs + 60_000);
    const another = nextKeyOf(who);
    return {
      who: withKeys(who, [registered(keyOf(who)), registered(another, { from: at })]),
      event: additionOf(who, another, at, null),
    };
  };
}

/** The second key of a party. */
export function nextKeyOf({ agentId }: Party): SigningKey {
  return signingKey(`${agentId}#2`, 51);
}

function additionOf(who: Party, key: SigningKey, at: Timestamp, replaces: string | null) {
  const data = { key: registeredKey(who.agentId, key, at), replaces };
  return changeOf(who, 'agent-key-added', data, at);
}

function withKeys(who: Party, keys: readonly ReturnType<typeof registered>[]): Party {
  return changed(who, { keys: new Map(keys.map((key) => [key.keyId, key])) });
}

function changeOf(who: Party, type: string, data: object, at: Timestamp): EventEnvelope {
  return agentChanged(who.agentId, 1, type, data, keyOf(who), at);
}

function keyOf({ agentId, key }: Party): SigningKey {
  if (key === undefined) throw new Error(`${agentId} has no key`);
  return key;
}
