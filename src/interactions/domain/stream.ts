import type { InteractionId } from '../../kernel/ids.js';

/** The stream of one interaction; also the scope of the key that seals its texts. */
export function interactionStream(id: InteractionId): string {
  return `interaction-${id}`;
}
