import type { AcceptanceMethod } from '../../kernel/federated-interaction.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { reasonHash } from '../../kernel/statements.js';
import type { Agent } from './agent.js';
import { authorizeChange, mayWriteAgents } from './change-authorization.js';
import type { AgentChange, AgentCommand, RegisterAgent } from './commands.js';
import type { AgentContext } from './context.js';
import type { AgentEvent, ChangeAuthorization } from './events.js';
import type { AgentState } from './evolve.js';
import { admitKeys } from './key-registration.js';
import { hasEverHadKeys } from './keys.js';
import { MAX_CHANGES } from './limits.js';
import { areMethodsValid, defaultMethods } from './methods.js';
import { transportOf } from './transport.js';

type Decision = Result<readonly AgentEvent[], Rejection>;

/** Judges a command on one agent; never mutates. */
export function decideAgent(
  state: AgentState,
  command: AgentCommand,
  context: AgentContext,
): Decision {
  if (command.kind === 'register') return register(state, command, context);
  return state === null ? err({ code: 'agent-not-found' }) : change(state, command, context);
}

/**
 * Refuses with `scope-missing` (also for naming another owner without `agents:admin`),
 * `not-acting-agent` (a token bound to another agent, or of another tenant than that for which an
 * agent of this id is hosted here), `agent-exists`, the codes of {@link admitKeys} and
 * `methods-invalid`.
 */
function register(state: AgentState, command: RegisterAgent, context: AgentContext): Decision {
  const { caller, audience, hostTenant } = context;
  const { agentId } = command;
  if (!mayWriteAgents(caller)) return err({ code: 'scope-missing' });
  if (caller.agent !== null && caller.agent !== agentId) return err({ code: 'not-acting-agent' });
  // Whoever has the id agrees to contracts as the hosted agent, and so decides who may call it.
  if (hostTenant !== null && caller.tenant !== hostTenant) return err({ code: 'not-acting-agent' });
  const owner = command.owner ?? caller.principal;
  if (owner !== caller.principal && !caller.scopes.has('agents:admin')) {
    return err({ code: 'scope-missing', detail: 'Naming another owner needs agents:admin.' });
  }
  if (state !== null) return err({ code: 'agent-exists' });
  const keys = admitKeys(agentId, [], command.keys, context, (i) => `/keys/${String(i)}`);
  if (!keys.ok) return keys;
  const hasKeys = keys.value.length > 0;
  const methods = command.methods ?? defaultMethods(hasKeys);
  if (!areMethodsValid(methods, hasKeys)) return err({ code: 'methods-invalid' });
  return ok([
    {
      type: 'agent-registered',
      data: {
        agentId,
        tenant: caller.tenant,
        owner,
        clients: command.clients,
        keys: keys.value,
        methods,
        transport: transportOf(command.transport, agentId, audience),
      },
      texts: null,
    },
  ]);
}

/**
 * Every change: first the agent (`agent-retired`, for all but a revocation; `agent-changed`), then who asks
 * ({@link authorizeChange}), then what is asked: once an agent was changed 10,000 times, nothing but a
 * revocation or its retirement (`too-many-changes`).
 */
function change(agent: Agent, command: AgentChange, context: AgentContext): Decision {
  // Its keys go on signing what is left to do, so each of them can still be taken away.
  const isOver = agent.retiredAt !== null && command.kind !== 'revoke-key';
  if (isOver) return err({ code: 'agent-retired' });
  if (command.expectedRevision !== agent.revision) return err({ code: 'agent-changed' });
  const authorization = authorizeChange(agent, command, context);
  if (!authorization.ok) return authorization;
  const isProtective = command.kind === 'revoke-key' || command.kind === 'retire';
  if (agent.revision >= MAX_CHANGES && !isProtective) return err({ code: 'too-many-changes' });
  const by = { agentId: agent.agentId, authorization: authorization.value };
  switch (command.kind) {
    case 'add-key':
      return addKey(agent, command, context, authorization.value);
    case 'revoke-key': {
      const key = agent.keys.get(command.keyId);
      if (key === undefined) return err({ code: 'key-not-found' });
      // A replaced key may still be revoked: that it was stolen can turn out later.
      if (key.revokedAt !== null) return err({ code: 'key-not-valid' });
      const { keyId, reason } = command;
      return ok([
        {
          type: 'agent-key-revoked',
          data: { ...by, keyId, reasonHash: reasonHash(reason) },
          texts: { reason: reason ?? null },
        },
      ]);
    }
    case 'change-methods': {
      if (!areMethodsValid(command.methods, hasEverHadKeys(agent))) {
        return err({ code: 'methods-invalid' });
      }
      return ok([methodsChanged(by, command.methods)]);
    }
    case 'change-policy': {
      const { policy } = command;
      return ok([
        {
          type: 'agent-policy-changed',
          data: { ...by, hasPolicy: policy !== null },
          texts: { policy },
        },
      ]);
    }
    case 'change-clients':
      return ok([
        { type: 'agent-clients-changed', data: { ...by, clients: command.clients }, texts: null },
      ]);
    case 'change-transport': {
      const transport = transportOf(command.transport, agent.agentId, context.audience);
      return ok([{ type: 'agent-transport-changed', data: { ...by, transport }, texts: null }]);
    }
    case 'retire': {
      const { reason } = command;
      return ok([
        {
          type: 'agent-retired',
          data: { ...by, reasonHash: reasonHash(reason) },
          texts: { reason: reason ?? null },
        },
      ]);
    }
  }
}

/** Refuses with `key-not-found` and `key-not-valid` for the replaced key, and as {@link admitKeys}. */
function addKey(
  agent: Agent,
  command: Extract<AgentChange, { kind: 'add-key' }>,
  context: AgentContext,
  authorization: ChangeAuthorization,
): Decision {
  const { replaces } = command;
  if (replaces !== null) {
    const replaced = agent.keys.get(replaces);
    if (replaced === undefined) return err({ code: 'key-not-found' });
    if (replaced.until !== null) return err({ code: 'key-not-valid' });
  }
  const known = agent.keys.values();
  const admitted = admitKeys(agent.agentId, known, [command.key], context, () => '/key');
  if (!admitted.ok) return admitted;
  const by = { agentId: agent.agentId, authorization };
  const added = admitted.value.map((key): AgentEvent => ({
    type: 'agent-key-added',
    data: { ...by, key, replaces },
    texts: null,
  }));
  // With its first key an agent begins to sign; what it accepted by before would let a stolen token
  // go on accepting. Whoever wants that opts out afterwards, with the key's signature.
  const first = hasEverHadKeys(agent) ? [] : [methodsChanged(by, defaultMethods(true))];
  return ok([...added, ...first]);
}

function methodsChanged(
  by: { readonly agentId: Agent['agentId']; readonly authorization: ChangeAuthorization },
  methods: readonly AcceptanceMethod[],
): AgentEvent {
  return { type: 'agent-methods-changed', data: { ...by, methods }, texts: null };
}
