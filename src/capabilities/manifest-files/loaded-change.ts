import { documentChanges, type DocumentChange } from '../../kernel/document-changes.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Capability } from '../domain/capability.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import type { CapabilityState } from '../domain/evolve.js';
import { manifestDocument } from '../domain/manifest-document.js';

/** What the files changed, or could not change; one line of the log each. */
export interface LoadedChange {
  readonly agentId: AgentId;
  readonly skillId: SkillId;
  /** `kept`: the registry stays as it is although the file says otherwise. */
  readonly change: 'registered' | 'revised' | 'state-changed' | 'kept';
  /** The new state, or why it was kept. */
  readonly detail: string;
  /** Of what was there before: `/owner: "a" → "b"`. */
  readonly changes: readonly string[];
  /** Of the line: what a file says in vain should be read. */
  readonly level: 'info' | 'warn';
}

/** Lines of the log are read by people. */
const MAX_CHANGES = 20;
const MAX_VALUE_LENGTH = 60;

/** What a command of the files makes of a capability. */
export function loadedChange(
  command: CapabilityCommand,
  before: CapabilityState,
  after: Capability | undefined,
): LoadedChange {
  const { agentId, skillId } = targetOf(command);
  const common = { agentId, skillId, changes: changesOf(before, after), level: 'info' } as const;
  switch (command.kind) {
    case 'register':
      return { ...common, change: 'registered', detail: command.manifest.state };
    case 'revise':
      return { ...common, change: 'revised', detail: command.manifest.state };
    case 'change-state':
      return { ...common, change: 'state-changed', detail: command.state };
    case 'opt-in':
    case 'opt-out':
      throw new Error('files let nobody into a preview');
  }
}

function changesOf(before: CapabilityState, after: Capability | undefined): readonly string[] {
  if (before === null || after === undefined) return [];
  const changes = documentChanges(
    manifestDocument(before.manifest),
    manifestDocument(after.manifest),
  );
  const lines = changes.slice(0, MAX_CHANGES).map(lineOf);
  const rest = changes.length - lines.length;
  return rest === 0 ? lines : [...lines, `and ${rest} more`];
}

function lineOf({ pointer, before, after }: DocumentChange): string {
  return `${pointer}: ${short(before)} → ${short(after)}`;
}

function short(value = 'nothing'): string {
  return value.length <= MAX_VALUE_LENGTH ? value : `${value.slice(0, MAX_VALUE_LENGTH)}…`;
}
