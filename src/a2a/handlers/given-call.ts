import { deepFrozen } from '../../kernel/deep-frozen.js';
import { ownCopy } from '../../kernel/own-copy.js';
import { copyOfCaller } from '../../kernel/caller.js';
import type { CapabilityCall } from './capability-call.js';

/**
 * The call as its implementation gets it, which may be anybody's code: with copies of its own of what
 * was said and of the task, whose originals are kept, digested and shown; and under a grant that nobody
 * changes, since its manifest is that of every other call.
 */
export function givenCall({
  message,
  task,
  caller,
  grant,
  ...more
}: CapabilityCall): CapabilityCall {
  return {
    message: ownCopy(message),
    task: ownCopy(task),
    caller: copyOfCaller(caller),
    grant: deepFrozen(grant),
    ...more,
  };
}
