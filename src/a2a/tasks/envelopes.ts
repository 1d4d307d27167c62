import type { Actor, NewEnvelope } from '../../kernel/envelope.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { TaskOwner } from './domain/task.js';

export function actorOf(owner: TaskOwner): Actor {
  if (owner.kind === 'anonymous') return { principal: 'anonymous', agent: null, tenant: null };
  return { principal: owner.principal, agent: owner.agent, tenant: owner.tenant };
}

/** 16 zero bytes: no Merkle tree is built over the task store, so that a salt would hide nothing. */
const NO_SALT = 'AAAAAAAAAAAAAAAAAAAAAA';

/** An event on its way into the task store, where nothing is sealed. */
export function taskEnvelope(
  id: string,
  event: { readonly type: string; readonly schemaVersion: number; readonly data: JsonObject },
  context: {
    readonly commandId: string;
    readonly requestDigest: string;
    readonly actor: Actor;
    readonly correlationId: string;
    readonly recordedAt: Timestamp;
  },
): NewEnvelope {
  const { commandId, requestDigest, actor, correlationId, recordedAt } = context;
  return {
    id,
    type: event.type,
    recordedAt,
    schemaVersion: event.schemaVersion,
    data: event.data,
    sealed: null,
    salt: NO_SALT,
    metadata: {
      commandId,
      requestDigest,
      actor,
      correlationId,
      causationId: null,
      traceparent: null,
      basedOn: {},
    },
  };
}
