import { canonicalJson } from '../../kernel/canonical-json.js';
import type { Capability } from '../domain/capability.js';
import type { CapabilityCommand } from '../domain/commands.js';
import { wayTo } from '../domain/lifecycle.js';
import type { LifecycleState, Manifest } from '../domain/manifest.js';

/** What makes a capability what its file says. */
export interface PlannedChanges {
  readonly commands: readonly CapabilityCommand[];
  /** Why the registry stays as it is in some respect, for whoever reads the log. */
  readonly kept: readonly string[];
}

/**
 * The commands from a capability as it is to its manifest on file; none when it is so already. The
 * file decides everything but that life goes on: a state that the registry has left behind is not
 * gone back to, and a tombstone is not touched.
 */
export function planChanges(before: Capability | null, filed: Manifest): PlannedChanges {
  if (before === null) return { commands: beginning(filed), kept: [] };
  const { manifest, revision } = before;
  if (manifest.state === 'removed') {
    const kept = filed.state === 'removed' ? [] : ['it is removed for ever'];
    return { commands: [], kept };
  }
  const states = wayTo(manifest.state, filed.state);
  const kept =
    states === undefined ? [`its state stays ${manifest.state}: life does not go back`] : [];
  const commands: CapabilityCommand[] = [];
  const { state, replacement } = manifest;
  const revised: Manifest = { ...filed, state, replacement };
  if (canonicalJson(revised) !== canonicalJson(manifest)) {
    commands.push({ kind: 'revise', manifest: revised, expectedRevision: revision });
  }
  const isRepointed = states?.length === 0 && filed.replacement !== replacement;
  for (const next of isRepointed ? [state] : (states ?? [])) {
    commands.push(changeState(filed, next, revision + commands.length));
  }
  return { commands, kept };
}

/** A capability begins in any state but the last: a tombstone was something before. */
function beginning(filed: Manifest): readonly CapabilityCommand[] {
  if (filed.state !== 'removed') return [{ kind: 'register', manifest: filed }];
  return [
    { kind: 'register', manifest: { ...filed, state: 'deprecated' } },
    changeState(filed, 'removed', 0),
  ];
}

function changeState(
  { agentId, id: skillId, replacement }: Manifest,
  state: LifecycleState,
  expectedRevision: number,
): CapabilityCommand {
  return {
    kind: 'change-state',
    agentId,
    skillId,
    state,
    replacement: state === 'ga' ? null : replacement,
    expectedRevision,
    reason: undefined,
    force: false,
  };
}
