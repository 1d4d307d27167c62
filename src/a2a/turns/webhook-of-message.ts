import { invalidParams } from '../tasks/domain/refusals.js';
import type { PushConfigs } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest } from '../wire/types.js';

/** Where SendMessage has its webhook. */
const POINTER = '/configuration/taskPushNotificationConfig';

/** Why the webhook that comes with a message cannot be used, undefined when it can or there is none. */
export async function webhookRefusal(
  { configuration }: SendMessageRequest,
  pushConfigs: Pick<PushConfigs, 'check'>,
): Promise<A2aRefusal | undefined> {
  const config = configuration?.taskPushNotificationConfig;
  const refusal = config && (await pushConfigs.check(config));
  if (refusal?.code === undefined || refusal.faults === undefined) return refusal;
  const faults = refusal.faults.map(({ pointer, detail }) => ({
    pointer: `${POINTER}${pointer}`,
    detail,
  }));
  return invalidParams(refusal.code, faults);
}
