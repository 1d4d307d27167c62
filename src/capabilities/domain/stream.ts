import type { AgentId, SkillId } from '../../kernel/ids.js';

/** Prefix of the streams of all capabilities. */
export const CAPABILITY_STREAM_PREFIX = 'capability-';

/** The stream that holds one capability's events. */
export function capabilityStream(agentId: AgentId, skillId: SkillId): string {
  return `${CAPABILITY_STREAM_PREFIX}${agentId}/${skillId}`;
}
