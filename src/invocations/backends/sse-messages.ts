/** A line of an event stream ends with CR LF, with LF or with CR. */
const LINE_END = /\r\n|\n|\r/g;

/** The name of an event that names none. */
const MESSAGE = 'message';

/** Each character stands for one byte: lines and names are ASCII, and what is not UTF-8 stays as it is. */
const BYTES = 'latin1';

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/**
 * What a server sends as messages in an event stream (WHATWG HTML, section 9.2.6): the data of each event
 * that came whole and has some, in bytes. Events of other names, comments, ids and waits are nobody's
 * here.
 * @param body whoever gives it bounds its length
 * @throws what `body` throws
 */
export async function* sseMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let event = new SseEvent();
  for await (const line of linesOf(body)) {
    if (line !== '') {
      event.take(line);
      continue;
    }
    if (event.name === MESSAGE && event.data !== '') yield Buffer.from(event.data, BYTES);
    event = new SseEvent();
  }
  // What no blank line follows did not come whole.
}

class SseEvent {
  name = MESSAGE;
  readonly #lines: string[] = [];

  get data(): string {
    return this.#lines.join('\n');
  }

  take(line: string): void {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'data') this.#lines.push(value);
    if (field === 'event') this.name = value === '' ? MESSAGE : value;
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  // Of the line that goes on: joined once, however many pieces it comes in.
  let pieces: string[] = [];
  let isFirst = true;
  let endedInReturn = false;
  for await (const chunk of body) {
    if (chunk.byteLength === 0) continue;
    const whole = Buffer.from(chunk).toString(BYTES);
    // The other half of an end that was cut in two.
    const text = endedInReturn && whole.startsWith('\n') ? whole.slice(1) : whole;
    endedInReturn = whole.endsWith('\r');
    let start = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      const line = pieces.join('') + text.slice(start, index);
      yield isFirst ? withoutMark(line) : line;
      isFirst = false;
      pieces = [];
      start = index + end.length;
    }
    pieces.push(text.slice(start));
  }
}

function withoutMark(line: string): string {
  return line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line;
}
