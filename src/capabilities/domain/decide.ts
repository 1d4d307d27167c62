import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { reasonHash } from '../../kernel/statements.js';
import { millisecondsOf } from '../../kernel/timestamp.js';
import type { Capability } from './capability.js';
import type { CapabilityCommand, CommandOf } from './commands.js';
import type { CapabilityContext } from './context.js';
import type { CapabilityEvent } from './events.js';
import type { CapabilityState } from './evolve.js';
import { mayBecome } from './lifecycle.js';
import { isSummaryTrue } from './backend-summary.js';
import { manifestRefusal } from './manifest-rules.js';
import { sameMeaning } from './meaning.js';
import { isMoreRestricted, replacementRefusal } from './replacement.js';

type Decision = Result<readonly CapabilityEvent[], Rejection>;

const SUMMARY_MISMATCH: Rejection = {
  code: 'backend-summary-mismatch',
  faults: [{ pointer: '/direct_invoke/backend', detail: 'is not what its backend says of itself' }],
};

/** Callers that can be let into one preview. */
export const MAX_OPTED_IN = 1_000;

/** So long a capability must have rested before it is removed without force, in milliseconds. */
const USAGE_COUNTS_MS = 30 * 24 * 60 * 60 * 1000;

/** Judges a command on one capability; never mutates. */
export function decideCapability(
  state: CapabilityState,
  command: CapabilityCommand,
  context: CapabilityContext,
): Decision {
  if (command.kind === 'register') return register(state, command, context);
  const { caller, agentTenant } = context;
  // What is another tenant's does not exist, and nothing is told of it.
  const isForeign = agentTenant === null || (caller !== null && caller.tenant !== agentTenant);
  if (isForeign || state === null) return err({ code: 'capability-not-found' });
  const refusal = scopeRefusal(context);
  if (refusal !== undefined) return err(refusal);
  if (state.manifest.state === 'removed') return err({ code: 'capability-removed' });
  switch (command.kind) {
    case 'revise':
      return revise(state, command, context);
    case 'change-state':
      return changeState(state, command, context);
    case 'opt-in':
      return optIn(state, command);
    case 'opt-out':
      return optOut(state, command);
  }
}

/** Operators of the hosted agent's tenant, and the deployment's own files. */
function scopeRefusal({ caller }: CapabilityContext): Rejection | undefined {
  if (caller === null || caller.scopes.has('capabilities:write')) return undefined;
  return { code: 'scope-missing' };
}

/**
 * Refuses with `agent-not-hosted` (here, for the caller's tenant), `scope-missing`,
 * `capability-exists` (a removed one keeps its id for ever), `lifecycle-transition-invalid` (as
 * removed), the codes of {@link manifestRefusal} and {@link replacementRefusal}, and
 * `backend-summary-mismatch`.
 */
function register(
  state: CapabilityState,
  { manifest }: CommandOf<'register'>,
  context: CapabilityContext,
): Decision {
  const { caller, agentTenant } = context;
  if (agentTenant === null || (caller !== null && caller.tenant !== agentTenant)) {
    return err({ code: 'agent-not-hosted' });
  }
  const refusal = scopeRefusal(context);
  if (refusal !== undefined) return err(refusal);
  if (state !== null) return err({ code: 'capability-exists' });
  if (manifest.state === 'removed') {
    return err({
      code: 'lifecycle-transition-invalid',
      detail: 'A capability is registered before it is removed.',
    });
  }
  const fault = manifestRefusal(manifest) ?? replacementRefusal(manifest, context.replacements);
  if (fault !== undefined) return err(fault);
  if (!isSummaryTrue(manifest, context.backendSummary)) return err(SUMMARY_MISMATCH);
  return ok([{ type: 'capability-registered', data: { manifest }, texts: null }]);
}

/**
 * Refuses with `capability-changed`, `state-changes-separately`, `capability-meaning-changed`
 * (other modes or schemas than when it became ga), the codes of {@link manifestRefusal}, and
 * `replacement-more-restricted` (its replacement than itself, or itself than one that it replaces), and
 * `backend-summary-mismatch`.
 * The same manifest again changes nothing.
 */
function revise(
  capability: Capability,
  { manifest, expectedRevision }: CommandOf<'revise'>,
  { replacements, predecessors, backendSummary }: CapabilityContext,
): Decision {
  const before = capability.manifest;
  if (expectedRevision !== capability.revision) return err({ code: 'capability-changed' });
  if (manifest.state !== before.state || manifest.replacement !== before.replacement) {
    return err({ code: 'state-changes-separately' });
  }
  if (before.state !== 'preview' && !sameMeaning(before, manifest)) {
    return err({ code: 'capability-meaning-changed' });
  }
  const fault = manifestRefusal(manifest);
  if (fault !== undefined) return err(fault);
  const [replacement] = replacements;
  if (replacement !== undefined && isMoreRestricted(replacement.manifest, manifest)) {
    return err({ code: 'replacement-more-restricted' });
  }
  const stranded = predecessors.find((each) => isMoreRestricted(manifest, each.manifest));
  if (stranded !== undefined) {
    const detail = `It replaces ${stranded.manifest.id}, whose callers could not use it any more.`;
    return err({ code: 'replacement-more-restricted', detail });
  }
  if (!isSummaryTrue(manifest, backendSummary)) return err(SUMMARY_MISMATCH);
  if (canonicalJson(manifest) === canonicalJson(before)) return ok([]);
  return ok([{ type: 'capability-revised', data: { manifest }, texts: null }]);
}

/**
 * Refuses with `capability-changed`, `lifecycle-transition-invalid`, `replacement-unexpected`, the
 * codes of {@link replacementRefusal} where it is pointed to something new, and `capability-in-use` for a removal within 30 days of the
 * last call that is not forced with a reason.
 */
function changeState(
  capability: Capability,
  command: CommandOf<'change-state'>,
  { now, lastCall, replacements }: CapabilityContext,
): Decision {
  const { state, replacement, reason } = command;
  const { manifest } = capability;
  if (command.expectedRevision !== capability.revision) return err({ code: 'capability-changed' });
  if (!mayBecome(manifest.state, state)) {
    const detail = `It is ${manifest.state}, and cannot become ${state} from there.`;
    return err({ code: 'lifecycle-transition-invalid', detail });
  }
  const next = { ...manifest, state, replacement };
  // What it is already pointed to was judged then, and who follows it follows a whole chain.
  const isRepointed = replacement !== manifest.replacement;
  const fault =
    manifestRefusal(next) ?? (isRepointed ? replacementRefusal(next, replacements) : undefined);
  if (fault !== undefined) return err(fault);
  // A call at the very end of the 30 days still counts.
  const inUse =
    state === 'removed' &&
    lastCall !== null &&
    millisecondsOf(now) - millisecondsOf(lastCall) <= USAGE_COUNTS_MS;
  const forced = inUse && command.force && reason !== undefined;
  if (inUse && !forced) {
    return err({ code: 'capability-in-use', detail: `It was last called at ${lastCall}.` });
  }
  if (state === manifest.state && !isRepointed) return ok([]);
  const { agentId, id: skillId } = manifest;
  return ok([
    {
      type: 'capability-state-changed',
      data: { agentId, skillId, state, replacement, forced, reasonHash: reasonHash(reason) },
      texts: { reason: reason ?? null },
    },
  ]);
}

/** Refuses with `capability-not-preview` and `too-many-opt-ins`. Twice is once. */
function optIn({ manifest, optedIn }: Capability, command: CommandOf<'opt-in'>): Decision {
  const { callerAgentId } = command;
  if (manifest.state !== 'preview') return err({ code: 'capability-not-preview' });
  if (optedIn.has(callerAgentId)) return ok([]);
  if (optedIn.size >= MAX_OPTED_IN) return err({ code: 'too-many-opt-ins' });
  const { agentId, id: skillId } = manifest;
  return ok([{ type: 'caller-opted-in', data: { agentId, skillId, callerAgentId }, texts: null }]);
}

/** Refuses with `capability-not-preview`. Whoever is not in stays out. */
function optOut({ manifest, optedIn }: Capability, command: CommandOf<'opt-out'>): Decision {
  const { callerAgentId } = command;
  if (manifest.state !== 'preview') return err({ code: 'capability-not-preview' });
  if (!optedIn.has(callerAgentId)) return ok([]);
  const { agentId, id: skillId } = manifest;
  return ok([{ type: 'caller-opted-out', data: { agentId, skillId, callerAgentId }, texts: null }]);
}
