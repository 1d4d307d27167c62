import { AuditFault } from './audit-fault.js';
import { linesOf } from './line-blocks.js';
import { parseLogLine } from './log-line.js';

/** A log, and of which platform it says that it is. */
export interface OpenedLog {
  readonly audience: string;
  readonly blocks: AsyncGenerator<Uint8Array, undefined>;
}

/**
 * Looks at the first event of a log; its blocks are all still there.
 * @throws {AuditFault} `events-malformed`: no event, or none in the form of the service's export
 */
export async function openLog(blocks: AsyncGenerator<Uint8Array, undefined>): Promise<OpenedLog> {
  const first = await blocks.next();
  if (first.done === true) throw new AuditFault('events-malformed', 'there is no event');
  const [line] = linesOf(first.value);
  const event = line && parseLogLine(Buffer.from(first.value).toString('utf8', ...line));
  if (event === undefined) {
    throw new AuditFault('events-malformed', 'line 1 is no event in the form of the export');
  }
  return { audience: event.audience, blocks: resumed(first.value, blocks) };
}

async function* resumed(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, undefined>,
): AsyncGenerator<Uint8Array, undefined> {
  yield first;
  yield* rest;
}
