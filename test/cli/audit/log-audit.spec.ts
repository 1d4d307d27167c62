import { afterEach, describe, expect, it } from '@jest/globals';
import { AuditFault } from '../../../src/cli/audit/audit-fault.js';
import { lineBlocks } from '../../../src/cli/audit/line-blocks.js';
import { LogAudit } from '../../../src/cli/audit/log-audit.js';
import { parseLogLine } from '../../../src/cli/audit/log-line.js';
import { envelopeText, type EventEnvelope } from '../../../src/kernel/envelope.js';
import { deriveUuid } from '../../../src/kernel/ids.js';
import { leafHash, MerkleFrontier } from '../../../src/kernel/merkle.js';
import { golden, preludeOf } from '../../audit/support/bundles.js';
import { goldenExport } from './support/golden-export.js';

const NAME = 'negotiated-amended-completed';

let log: LogAudit | undefined;

afterEach(async () => {
  await log?.end();
  log = undefined;
});

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array, undefined> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size)
    yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function audited(lines: readonly string[], threads = 2, most?: number): Promise<LogAudit> {
  log = new LogAudit({ audience: 'https://countersign.example', threads, documents: true });
  log.watch(3);
  const text = lines.map((line) => `${line}\n`).join('');
  await log.take(lineBlocks(chunks(text, 1000)), most);
  return log;
}

async function idsSince(of: LogAudit, index: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of of.interactions(index)) ids.push(...page);
  return ids;
}

/** The same event as the first of a stream of which nothing but order and id are judged. */
function aloneInStream(line: string, nth: number): string {
  const event = JSON.parse(line) as { readonly data: Pick<EventEnvelope, 'metadata'> };
  const subject = `card-agent-${String(nth)}`;
  const id = deriveUuid(['event', subject, event.data.metadata.commandId, 0]);
  return JSON.stringify({ ...event, id, subject, revision: 0 });
}

async function faultOf(lines: readonly string[]): Promise<string> {
  const outcome = await audited(lines).then(
    () => 'none',
    (error: unknown) => error,
  );
  return outcome instanceof AuditFault
    ? `${outcome.fault.code}: ${outcome.fault.detail}`
    : String(outcome);
}

function rootOf(size: number): Uint8Array {
  const told = golden(NAME);
  const frontier = new MerkleFrontier();
  for (const event of [...preludeOf(told), ...told.events].slice(0, size)) {
    frontier.append(leafHash(envelopeText(event)));
  }
  return frontier.root();
}

describe('an audit of a log', () => {
  it.each([1, 2, 3])('over %i threads comes to the same', async (threads) => {
    const lines = goldenExport(NAME);
    const whole = await audited(lines, threads);
    const { result, counts, findings } = await whole.events(true);
    expect({ result, findings }).toEqual({ result: 'verified', findings: [] });
    expect(counts.verified).toBeGreaterThan(lines.length * 3);
    expect(whole.size).toBe(lines.length);
    expect(whole.root).toEqual(rootOf(lines.length));
    expect(whole.rootAt(3)).toEqual(rootOf(3));
    expect(whole.position).toBe(String(lines.length).padStart(20, '0'));
  });

  it('knows each interaction as the service shows it', async () => {
    const lines = goldenExport(NAME);
    const whole = await audited(lines);
    const [interactionId = ''] = await idsSince(whole, 0);
    const { document } = golden(NAME);
    expect(interactionId).toBe(document.interactionId);
    const body = JSON.parse(JSON.stringify(document)) as never;
    expect(await whole.compare({ interactionId, status: 200, body })).toBeNull();
    const changed = JSON.parse(
      JSON.stringify({ ...document, updatedAt: document.createdAt }),
    ) as never;
    expect(await whole.compare({ interactionId, status: 200, body: changed })).toMatchObject({
      pointer: '/updatedAt',
      inAnswer: JSON.stringify(document.createdAt),
    });
    expect(await whole.compare({ interactionId, status: 404, body: {} })).toMatchObject({
      inAnswer: 'HTTP 404',
    });
    expect(await idsSince(whole, lines.length - 1)).toEqual([interactionId]);
    expect(await idsSince(whole, lines.length)).toEqual([]);
  });

  it('reads no further than it is told', async () => {
    const part = await audited(goldenExport(NAME), 2, 4);
    expect(part.size).toBe(4);
    expect(part.root).toEqual(rootOf(4));
  });

  it('has the root of all leaves, however many blocks go around', async () => {
    const prelude = goldenExport(NAME);
    const many = Array.from({ length: 4_000 }, (_, n) => aloneInStream(prelude[3] ?? '', n));
    const lines = [...prelude, ...many];
    const whole = await audited(lines, 2);
    const frontier = new MerkleFrontier();
    lines.forEach((line, place) => {
      const leaf = leafHash(envelopeText(parseLogLine(line)?.envelope as EventEnvelope));
      frontier.append(leaf);
      if (place % 700 === 0) expect(whole.leafAt(place)).toEqual(leaf);
    });
    expect([whole.size, whole.root]).toEqual([lines.length, frontier.root()]);
    expect(whole.leafAt(lines.length)).toBeUndefined();
    expect((await whole.events(true)).result).toBe('verified');
  });

  it('finds what one event says wrongly, and where', async () => {
    const lines = goldenExport(NAME).map((line) =>
      line.includes('"type":"revision-attested"') ? line.replace(/"value":"./, '"value":"A') : line,
    );
    const { result, findings } = await (await audited(lines)).events(true);
    expect(result).toBe('failed');
    expect(findings[0]).toMatchObject({ result: 'failed', check: 'attestation' });
    expect(findings[0]?.subject).toMatch(/^interaction-[0-9a-f-]+@\d+/);
  });

  it('finds an event that is left out', async () => {
    const lines = goldenExport(NAME).filter((line) => !line.includes('"type":"revision-accepted"'));
    const { findings } = await (await audited(lines)).events(true);
    expect(findings[0]).toMatchObject({ check: 'stream-order', reason: 'revision-gap' });
  });
});

describe('texts that are missing', () => {
  const erased = goldenExport('../interactions-erased/withdrawn', false);
  /** One of the parties consents without a key. */
  const unsigned = { check: 'act', reason: 'act-without-signature' };

  it.each([1, 2])('are told as erased where the log says so, over %i threads', async (threads) => {
    const told = await (await audited(erased, threads)).events(true);
    expect(told).toMatchObject({ result: 'not-checkable', erased: 2 });
    expect(told.counts).toMatchObject({ failed: 0, 'not-checkable': 1 });
    expect(told.findings).toMatchObject([
      {
        check: 'texts',
        reason: 'erased',
        subject: expect.stringMatching(/^interaction-[0-9a-f-]+$/) as unknown,
        detail: expect.stringMatching(/^2 checks, interaction-.*@4$/) as unknown,
      },
      unsigned,
    ]);
  });

  it('are told as missing until then, and where the log does not say so', async () => {
    const hidden = await (await audited(erased.slice(0, -1))).events(true);
    expect(hidden).toMatchObject({ result: 'not-checkable', erased: 0 });
    expect(hidden.counts).toMatchObject({ failed: 0, 'not-checkable': 3 });
    expect(hidden.findings).toMatchObject([{ check: 'texts', reason: 'texts-missing' }, unsigned]);
  });

  it('are told as missing where the log says so against the rules', async () => {
    const consents = erased.filter((line) => line.includes('"type":"erasure-consented"'));
    const forged = erased
      .filter((line) => line !== consents[1])
      .map((line) =>
        line.includes('"type":"texts-erased"')
          ? line.replace('"revision":4', '"revision":3')
          : line,
      );
    const told = await (await audited(forged)).events(true);
    expect(told).toMatchObject({ result: 'failed', erased: 0 });
    expect(told.counts['not-checkable']).toBeGreaterThanOrEqual(2);
  });
});

describe('lines that are no events of this log', () => {
  const [first = '', second = '', ...rest] = goldenExport(NAME);

  it.each([
    ['no JSON', '{"subject":"agent-a"'],
    ['a list', '[]'],
    ['another platform', second.replace('https://countersign.example', 'https://other.example')],
    ['no stream', second.replace('"subject"', '"object"')],
    ['two types', second.replace('"data":{"type":"', '"data":{"type":"un')],
    ['a position that is none', second.replace(/"position":"\d+"/, '"position":"first"')],
    ['half a character', second.replace('"actor":{', '"actor":{"\\ud83d":1,')],
    [
      'a stream inside of another',
      second.replace('"specversion"', '"nested":{"subject":"interaction-x"},"specversion"'),
    ],
    ['nothing', ''],
  ])('%s', async (_, line) => {
    expect(await faultOf([first, line, ...rest])).toMatch(/^events-malformed: line 2 is no event/);
  });

  it('what stands before one counts', async () => {
    const lines = goldenExport(NAME);
    const forged = lines.map((line) =>
      line.includes('"type":"revision-attested"') ? line.replace(/"value":"./, '"value":"A') : line,
    );
    const whole = await audited(forged, 1);
    const { root } = whole;
    await whole.end();
    expect(await faultOf([...forged, 'garbage'])).toMatch(
      /^events-malformed: line \d+ is no event/,
    );
    expect(log?.size).toBe(lines.length);
    expect(log?.root).toEqual(root);
    const told = await log?.events(false);
    expect(told).toMatchObject({ result: 'failed' });
    expect(told?.findings[0]).toMatchObject({ result: 'failed', check: 'attestation' });
  });

  it('one that never ends is not waited for', async () => {
    const endless = (async function* (): AsyncGenerator<Uint8Array, undefined> {
      for (;;) yield await Promise.resolve(Buffer.alloc(1024 * 1024, 'x'));
    })();
    log = new LogAudit({ audience: 'https://countersign.example', threads: 1, documents: false });
    await expect(log.take(lineBlocks(endless))).rejects.toThrow('longer than 2 MiB');
  });
});
