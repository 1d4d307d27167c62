import type { InteractionId } from '../../kernel/ids.js';
import type { Interaction } from './interaction.js';

/** Prefix of the streams of all interactions. */
export const INTERACTION_STREAM_PREFIX = 'interaction-';

/** The stream of one interaction; also the scope of the key that seals its texts. */
export function interactionStream(id: InteractionId): string {
  return `${INTERACTION_STREAM_PREFIX}${id}`;
}

/** Which event of its stream, counted from 0, the interaction was last folded from. */
export function streamRevisionOf({ version }: Pick<Interaction, 'version'>): number {
  return version - 1;
}
