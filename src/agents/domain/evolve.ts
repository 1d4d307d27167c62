import { ERASED, type Recorded } from '../../kernel/event.js';
import type { KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { Agent, AgentKey } from './agent.js';
import type { AgentEvent, AgentRegistered, RegisteredKey } from './events.js';

/** Null: nothing is registered under this id. */
export type AgentState = Agent | null;

/** Records an event; never judges. */
export function evolveAgent(state: AgentState, event: Recorded<AgentEvent>): AgentState {
  if (event.type === 'agent-registered') return registered(event);
  if (state === null) throw new Error(`${event.type} before agent-registered`);
  const agent: Agent = { ...state, updatedAt: event.recordedAt, revision: event.revision };
  switch (event.type) {
    case 'agent-key-added': {
      const { key, replaces } = event.data;
      const keys = replaces === null ? agent.keys : ended(agent.keys, replaces, event.recordedAt);
      return { ...agent, keys: withKey(keys, opened(key, event.recordedAt)) };
    }
    case 'agent-key-revoked':
      return { ...agent, keys: revoked(agent.keys, event.data.keyId, event.recordedAt) };
    case 'agent-methods-changed':
      return { ...agent, methods: event.data.methods };
    case 'agent-policy-changed': {
      // Rules that nobody can read any more accept nothing.
      const rules = event.texts === ERASED ? null : event.texts.policy;
      return { ...agent, policy: rules === null ? null : { rules, revision: event.revision } };
    }
    case 'agent-clients-changed':
      return { ...agent, clients: event.data.clients };
    case 'agent-transport-changed':
      return { ...agent, transport: event.data.transport };
    case 'agent-retired':
      return { ...agent, retiredAt: event.recordedAt };
  }
}

function registered({ data, recordedAt, revision }: Recorded<AgentRegistered>): Agent {
  return {
    agentId: data.agentId,
    tenant: data.tenant,
    owner: data.owner,
    clients: data.clients,
    keys: new Map(data.keys.map((key) => [key.keyId, opened(key, recordedAt)])),
    methods: data.methods,
    policy: null,
    transport: data.transport,
    registeredAt: recordedAt,
    updatedAt: recordedAt,
    retiredAt: null,
    revision,
  };
}

type Keys = ReadonlyMap<KeyId, AgentKey>;

function opened(key: RegisteredKey, from: Timestamp): AgentKey {
  return { ...key, from, until: null, revokedAt: null };
}

function withKey(keys: Keys, key: AgentKey): Keys {
  return new Map(keys).set(key.keyId, key);
}

/** A window that has ended stays as it ended. */
function ended(keys: Keys, keyId: KeyId, at: Timestamp): Keys {
  const key = keys.get(keyId);
  return key === undefined ? keys : withKey(keys, { ...key, until: key.until ?? at });
}

function revoked(keys: Keys, keyId: KeyId, at: Timestamp): Keys {
  const key = keys.get(keyId);
  if (key === undefined) return keys;
  return withKey(keys, { ...key, until: key.until ?? at, revokedAt: at });
}
