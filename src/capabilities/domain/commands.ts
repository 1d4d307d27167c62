import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { LifecycleState, Manifest } from './manifest.js';

interface OnExisting {
  readonly agentId: AgentId;
  readonly skillId: SkillId;
}

export type CapabilityCommand =
  | { readonly kind: 'register'; readonly manifest: Manifest }
  | {
      readonly kind: 'revise';
      readonly manifest: Manifest;
      /** Revision of the capability's stream that the command was written against. */
      readonly expectedRevision: number;
    }
  | (OnExisting & {
      readonly kind: 'change-state';
      readonly state: LifecycleState;
      /** Of a deprecated or removed capability: what to use instead. */
      readonly replacement: SkillId | null;
      readonly expectedRevision: number;
      readonly reason: string | undefined;
      /** Remove it although it was called of late; counts only with a reason. */
      readonly force: boolean;
    })
  | (OnExisting & { readonly kind: 'opt-in'; readonly callerAgentId: AgentId })
  | (OnExisting & { readonly kind: 'opt-out'; readonly callerAgentId: AgentId });

export type CommandOf<Kind extends CapabilityCommand['kind']> = Extract<
  CapabilityCommand,
  { kind: Kind }
>;

/** Which capability a command is about. */
export function targetOf(command: CapabilityCommand): OnExisting {
  return 'manifest' in command
    ? { agentId: command.manifest.agentId, skillId: command.manifest.id }
    : command;
}
