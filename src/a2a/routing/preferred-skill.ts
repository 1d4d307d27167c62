import type { SendMessageRequest } from '../wire/types.js';

/** The skill that the client prefers: a hint (`metadata.skillId` of the message, or of the request). */
export function preferredSkill({ message, metadata }: SendMessageRequest): string | undefined {
  const hint = message.metadata?.['skillId'] ?? metadata?.['skillId'];
  return typeof hint === 'string' ? hint : undefined;
}
