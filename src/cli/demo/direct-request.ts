import { randomUUID } from 'node:crypto';
import { Role, type Message, type SendMessageRequest } from '@a2a-js/sdk';
import { ServiceParameters, withA2AExtensions, type RequestOptions } from '@a2a-js/sdk/client';
import {
  DEFAULT_DIRECT_INVOKE_EXTENSION as DIRECT_INVOKE,
  DEFAULT_TRUST_EXTENSION as TRUST,
} from '../../config/read-extensions.js';
import type { InteractionId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import { textPart } from './partner.js';

/** A call by id and arguments, under a contract that it names. */
export interface DirectRequest {
  readonly skillId: string;
  readonly arguments: JsonObject;
  readonly under: InteractionId;
  readonly idempotencyKey?: string;
}

/** Activates both extensions on the transport. */
export const ACTIVATED: RequestOptions = {
  serviceParameters: ServiceParameters.create(withA2AExtensions(DIRECT_INVOKE, TRUST)),
};

/** The message that a call is: activated by what it declares and what it carries (RFC section 3.2). */
export function requestOf({ skillId, under, ...call }: DirectRequest): SendMessageRequest {
  const { idempotencyKey } = call;
  const payload = {
    callId: randomUUID(),
    skillId,
    arguments: call.arguments,
    bypassModel: true,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
  const message: Message = {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    // For those who read the history: nothing is routed or checked by it.
    parts: [textPart(`A direct invoke of ${skillId}`)],
    metadata: { [DIRECT_INVOKE]: payload, [TRUST]: { interactionId: under } },
    extensions: [DIRECT_INVOKE, TRUST],
    referenceTaskIds: [],
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}
