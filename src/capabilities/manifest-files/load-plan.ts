import { REJECTIONS, type Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { CapabilityContexts } from '../commands/capability-contexts.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import { capabilityDecider } from '../domain/decider.js';
import { replacementsFirst } from './in-order.js';
import { loadedChange, type LoadedChange } from './loaded-change.js';
import { planChanges } from './plan-changes.js';
import { PlannedHeads } from './planned-heads.js';
import type { FiledManifest } from './read-manifest-files.js';

interface Planned {
  /** File and JSON Pointer. */
  readonly place: string;
  readonly command: CapabilityCommand;
}

/** A command, and what it will have changed. */
export interface Step extends Planned {
  readonly change: LoadedChange;
}

interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly LoadedChange[];
  readonly faults: readonly string[];
}

/**
 * First everything up to deprecation, replacements before what they replace; then removals the
 * other way round, so that nothing is ever asked to point to a tombstone.
 */
export async function planLoad(
  manifests: readonly FiledManifest[],
  contexts: Pick<CapabilityContexts, 'heads' | 'prepare'>,
  now: () => Timestamp,
): Promise<Plan> {
  const heads = new PlannedHeads(contexts.heads);
  const steps: Step[] = [];
  const removals: Planned[] = [];
  const kept: LoadedChange[] = [];
  const faults: string[] = [];
  const rehearse = async ({ place, command }: Planned): Promise<void> => {
    const change = await rehearsed(command, heads, contexts, now());
    if (change.ok) steps.push({ place, command, change: change.value });
    else faults.push(refused(place, change.error));
  };
  for (const { place, manifest } of replacementsFirst(manifests)) {
    const { agentId, id: skillId } = manifest;
    const planned = planChanges((await heads.head(agentId, skillId)) ?? null, manifest);
    for (const detail of planned.kept) {
      kept.push({ agentId, skillId, change: 'kept', detail, changes: [], level: 'warn' });
    }
    const isRemoval = (command: CapabilityCommand): boolean =>
      command.kind === 'change-state' && command.state === 'removed';
    removals.unshift(...planned.commands.filter(isRemoval).map((command) => ({ place, command })));
    for (const command of planned.commands.filter((each) => !isRemoval(each))) {
      await rehearse({ place, command });
    }
  }
  for (const removal of removals) await rehearse(removal);
  return { steps, kept, faults };
}

/** Decides a command on what is planned so far, and counts it in. */
async function rehearsed(
  command: CapabilityCommand,
  heads: PlannedHeads,
  contexts: Pick<CapabilityContexts, 'prepare'>,
  now: Timestamp,
): Promise<Result<LoadedChange, Rejection>> {
  const { agentId, skillId } = targetOf(command);
  const state = (await heads.head(agentId, skillId)) ?? null;
  const prepared = await contexts.prepare(command, state, null, () => now, heads);
  if (!prepared.ok) return prepared;
  const decision = capabilityDecider.decide(state, command, prepared.value.context);
  if (!decision.ok) return decision;
  heads.record(state, decision.value, now);
  return ok(loadedChange(command, state, await heads.head(agentId, skillId)));
}

/** A refusal, for whoever wrote the file. */
export function refused(place: string, { code, detail }: Rejection): string {
  return `${place}: ${code}: ${REJECTIONS[code]}${detail === undefined ? '' : ` ${detail}`}`;
}
