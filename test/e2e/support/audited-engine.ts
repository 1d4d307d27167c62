import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseTrust, type Trust } from '../../../src/audit/verify/trust.js';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import type { EvidenceBundle } from '../../../src/kernel/evidence-bundle.js';
import { envelopeText, type EventEnvelope } from '../../../src/kernel/envelope.js';
import { signedTrees } from '../../audit/log/support/true-checkpoints.js';
import type { SampleBackend } from '../../invocations/backends/support/sample-backend.js';
import { eventually } from '../../support/eventually.js';
import { startTestService, type InProcessService } from '../../support/service.js';
import { Auditor, replayedOf, type Replayed } from './auditor.js';
import type { Deployment } from './deployment.js';
import { tellStory, type Story } from './erasable-story.js';
import {
  agree,
  contractSkill,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './finance.js';
import { wholeLog } from './log-audit.js';
import { pathOf, type Negotiator } from './negotiator.js';
import { nodeOf } from './nodes.js';
import type { SharedStores } from './several-nodes.js';
import { filesWithKey, tracesIn } from './traces.js';

const TIMEOUT_MS = 120_000;
const PATIENCE_MS = 30_000;

/** What an auditor is promised, of two nodes over one log of an engine. */
export function auditedEngine(engine: string, openStores: () => Promise<SharedStores>): void {
  describe(`an audit of two nodes over one log (${engine})`, () => {
    let stores: SharedStores;
    let deployed: Deployment;
    let backend: SampleBackend;
    let first: InProcessService;
    let second: InProcessService;
    let finance: Negotiator;
    let partner: Negotiator;
    let story: Story;

    beforeAll(async () => {
      stores = await openStores();
      backend = await startBackend(() => first);
      const env = { ...stores.env, LOG_CHECKPOINT_SECONDS: '1' };
      deployed = await financeDeployment(backend, [contractSkill('reconcile')], { env });
      first = await startTestService(nodeOf(deployed, 'node-a'));
      second = await startTestService(nodeOf(deployed, 'node-b'));
      finance = await registerFinance(first);
      partner = await newPartner(second);
      story = await tellStory(first, partner, finance, 30);
    }, TIMEOUT_MS);

    afterAll(async () => {
      await second.stop();
      await first.stop();
      await backend.stop();
      await stores.stop();
      await rm(deployed.folder, { recursive: true });
    }, TIMEOUT_MS);

    /** The note that both nodes serve, once it covers everything that there is. */
    async function checkpoint(): Promise<string> {
      let note = '';
      await eventually(async () => {
        const { size, signed } = signedTrees(await wholeLog(deployed));
        const answers = await Promise.all(
          [first, second].map((node) => node.call('GET', '/log/checkpoint')),
        );
        note = answers[0]?.text ?? '';
        // It is in the log a little before it is served; its second line is the tree's size.
        const isServed = Number(note.split('\n')[1]) === size && answers[1]?.text === note;
        return signed.at(-1) === size && isServed;
      }, PATIENCE_MS);
      return note;
    }

    async function evidence(
      of: Negotiator,
      at: InProcessService,
      query = '',
    ): Promise<EvidenceBundle> {
      const answer = await of.at(at).get(`${pathOf(story.document)}/evidence${query}`);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body as unknown as EvidenceBundle;
    }

    it(
      'finds one history of true checkpoints, the same on both',
      async () => {
        const before = await checkpoint();
        await agree(partner, finance);
        const after = await checkpoint();
        expect(after).not.toBe(before);
        const { signed, untrue } = signedTrees(await wholeLog(deployed));
        expect(untrue).toEqual([]);
        expect(new Set(signed).size).toBe(signed.length);
      },
      TIMEOUT_MS,
    );

    it(
      'verifies the evidence of one node by a checkpoint of the other',
      async () => {
        const kept = trustOf(await checkpoint());
        await agree(partner, finance);
        await checkpoint();
        const { body } = await second.call('GET', '/v1/log');
        // A proof from a tree that nobody remembers would prove nothing.
        for (const [trust, query] of [
          [kept, `?consistentFrom=${String(kept.size)}`],
          [trustOf(String(body['verifierKey'])), ''],
        ] as const) {
          const { result, checks } = verifyBundle(await evidence(finance, first, query), trust);
          expect(checks.filter((check) => check.result !== 'verified')).toEqual([]);
          expect(result).toBe('verified');
        }
      },
      TIMEOUT_MS,
    );

    it(
      'exports what the log holds, and resumes wherever it is cut',
      async () => {
        const stored = (await wholeLog(deployed)).filter(
          ({ stream }) => !/^(process-|log$)/.test(stream),
        );
        for (const node of [first, second]) {
          const response = await new Auditor(node).open('application/x-ndjson');
          const lines = (await response.text()).trimEnd().split('\n');
          const events = lines.map((line) => JSON.parse(line) as Replayed);
          expect(events.map(({ position }) => position)).toEqual(
            stored.map(({ position }) => position),
          );
          expect(events.map(textOf)).toEqual(stored.map(envelopeText));
        }
        const auditor = new Auditor(second);
        for (let cut = 1; cut < stored.length; cut += 5) {
          const begin = stored[cut - 1]?.position;
          const seen: string[] = [];
          for await (const sent of auditor.live('', begin)) {
            if (sent.type === 'caught-up') break;
            seen.push(replayedOf(sent).id);
          }
          expect([cut, seen]).toEqual([cut, stored.slice(cut).map(({ id }) => id)]);
        }
        // A position of no engine.
        const { status, body } = await auditor.get(`after=${'9'.repeat(41)}`);
        expect([status, body['code']]).toEqual([400, 'position-invalid']);
      },
      TIMEOUT_MS,
    );

    it(
      'finds neither text nor key of what was erased, on any node or in the engine, and the same tree',
      async () => {
        const { document, texts, listed } = story;
        await eventually(async () => (await tracesIn(deployed.folder, [listed])).length > 0);
        const kept = trustOf(await checkpoint());
        const { dataKey } = await evidence(partner, first);
        const key = Buffer.from(dataKey ?? '', 'base64url');
        const before = await stores.files?.();
        if (before !== undefined) expect(await filesWithKey(before, key)).not.toEqual([]);
        await partner.at(first).consentToErasure(document);
        await finance.at(second).consentToErasure(document);
        await eventually(async () => {
          const answers = await Promise.all(
            [first, second].map((node) => partner.at(node).get(pathOf(document))),
          );
          return answers.every(({ status }) => status === 410);
        }, PATIENCE_MS);
        await checkpoint();
        const { result, checks } = verifyBundle(
          await evidence(partner, second, `?consistentFrom=${String(kept.size)}`),
          kept,
        );
        expect(checks.filter((check) => check.result === 'failed')).toEqual([]);
        expect(result).toBe('not-checkable');
        let traces: readonly string[] = [];
        await eventually(async () => {
          traces = await tracesIn(deployed.folder, texts);
          return traces.length === 0;
        }, PATIENCE_MS).catch(() => undefined);
        expect(traces).toEqual([]);
        const files = await stores.files?.();
        if (files !== undefined) {
          // What it holds for ever is found, so the search looks in the right place.
          expect(await tracesIn(files, [document.interactionId])).not.toEqual([]);
          expect(await tracesIn(files, texts)).toEqual([]);
          expect(await filesWithKey(files, key)).toEqual([]);
        }
      },
      TIMEOUT_MS,
    );
  });
}

/** The checkpoint or the key, and nothing else; `size` of a checkpoint. */
function trustOf(text: string): Trust & { readonly size: number } {
  const given = parseTrust(text);
  if (given === undefined) throw new Error(`nothing to trust: ${text}`);
  return 'key' in given
    ? { keys: [given.key], checkpoints: [], witnesses: [], size: 0 }
    : {
        keys: [],
        checkpoints: [given.checkpoint],
        witnesses: [],
        size: given.checkpoint.checkpoint.size,
      };
}

function textOf({ id, type, subject, revision, time: recordedAt, data }: Replayed): string {
  const { type: _, texts: _texts, ...rest } = data;
  const envelope: unknown = { ...rest, id, type, stream: subject, revision, recordedAt };
  return envelopeText(envelope as EventEnvelope);
}
