import { pointerTo, type JsonPointer } from '../../kernel/json.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest } from '../wire/types.js';
import { contractNotChecked } from './execution-refusals.js';

/**
 * Why a message that says it is sent under a contract is not taken, undefined when it says nothing of
 * the kind. Calls are not authorized by contract yet, and whoever names one relies on its being
 * checked. Its sender need not have asked for the extension: what counts is what the message says.
 * @param uri of the trust extension
 */
export function contractClaimRefusal(
  { message, metadata }: SendMessageRequest,
  uri: string,
): A2aRefusal | undefined {
  const places: readonly (readonly [boolean, JsonPointer])[] = [
    [Object.hasOwn(message.metadata ?? {}, uri), pointerTo('/message/metadata', uri)],
    [Object.hasOwn(metadata ?? {}, uri), pointerTo('/metadata', uri)],
    [message.extensions?.includes(uri) ?? false, '/message/extensions'],
  ];
  const pointers = places.flatMap(([isClaimed, pointer]) => (isClaimed ? [pointer] : []));
  return pointers.length === 0 ? undefined : contractNotChecked(pointers);
}
