import { ApprovalSubjects } from '../../invocations/queries/approval-subjects.js';
import type { Uuid } from '../../kernel/ids.js';
import { hashJson } from '../../kernel/digest.js';
import type { Json } from '../../kernel/json.js';
import type { Tasks } from '../tasks/port.js';
import type { Message } from '../wire/types.js';
import { asHandled, heldDirectCall, heldMessage } from './held-message.js';

/** What calls that wait for an approval were sent with, as their tasks hold it. */
export class HeldSubjects extends ApprovalSubjects {
  /** @param directInvokeExtensionUri null: not served */
  constructor(
    private readonly tasks: Pick<Tasks, 'load'>,
    private readonly directInvokeExtensionUri: string | null,
  ) {
    super();
  }

  async of(taskId: Uuid, invocationId: Uuid): Promise<Json | undefined> {
    const stored = await this.tasks.load(taskId);
    const message = stored && heldMessage(stored.task);
    if (stored?.binding?.invocationId !== invocationId || message === undefined) return undefined;
    const direct = heldDirectCall(stored, this.directInvokeExtensionUri);
    if (direct !== null) return direct.arguments;
    const handled = asHandled(stored, message);
    return argumentsIn(handled, stored.binding.argumentsDigest) ?? subjectOf(handled);
  }
}

/** What a backend gets of a message: the part of it that is on record. Undefined: it gets none. */
function argumentsIn({ parts }: Message, digest: string | undefined): Json | undefined {
  if (digest === undefined) return undefined;
  return parts.find(({ data }) => data !== undefined && hashJson(data) === digest)?.data;
}

/** All that the caller has said in a message: the handler goes by any of it. */
function subjectOf({ parts, metadata, extensions, referenceTaskIds }: Message): Json {
  return {
    parts: parts.map((part): Json => ({ ...part })),
    ...(metadata === undefined ? {} : { metadata }),
    ...(extensions === undefined ? {} : { extensions }),
    ...(referenceTaskIds === undefined ? {} : { referenceTaskIds }),
  };
}
