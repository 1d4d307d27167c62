import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CAPABILITY_STREAM_PREFIX,
  capabilityStream,
} from '../../src/capabilities/domain/stream.js';
import { RegistrySurvey } from '../../src/capabilities/manifest-files/registry-survey.js';
import {
  RegistrationAdvice,
  type SkillAdvice,
} from '../../src/capabilities/queries/registration-advice.js';
import type { HostedAgent } from '../../src/config/hosted-agents.js';
import { StartupError } from '../../src/config/startup-error.js';
import { START } from '../../src/event-store/port.js';
import type { AgentId, SkillId } from '../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../src/kernel/json.js';
import { admission, ORIGIN } from '../invocations/support/admissions.js';
import { logOf } from '../support/captured-log.js';
import { aMoment } from '../support/eventually.js';
import { FINANCE } from './support/capabilities.js';
import { CapabilityNode, hostedAgent } from './support/capability-node.js';
import { RECONCILE } from './support/documents.js';
import { become, SKILL } from './support/given-when-then.js';

let node: CapabilityNode;
let folder: string;
let agents: readonly HostedAgent[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-manifests-'));
  agents = [hostedAgent(FINANCE, { capabilitiesFolder: folder })];
  node = await CapabilityNode.open({ hosted: agents });
});

afterEach(async () => {
  await node.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(folder, name), text);
}

const doc = (id: string, changes: JsonObject = {}): JsonObject => ({
  ...RECONCILE,
  id,
  ...changes,
});

/** What was changed, in order. */
async function load(by = node, hosted = agents): Promise<readonly string[]> {
  const changes = await by.loader(hosted).load();
  return changes.map(({ skillId, change, detail }) => `${skillId} ${change}: ${detail}`);
}

/** The faults that keep the service from starting, without the folder. */
async function faults(hosted = agents): Promise<readonly string[]> {
  try {
    await node.loader(hosted).load();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.faults.map((fault) => fault.replaceAll(`${folder}/`, ''));
  }
  return [];
}

/** Types of all events of capabilities, in the order of the log. */
async function recorded(): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { stream, type } of node.store.readAll(START, {
    streamPrefixes: [CAPABILITY_STREAM_PREFIX],
  })) {
    types.push(`${stream.split('/')[1]!} ${type}`);
  }
  return types;
}

const stateOf = async (id = SKILL): Promise<string | undefined> =>
  (await node.registry.head(FINANCE, id))?.capability.manifest.state;

describe('a folder of manifests', () => {
  it('is loaded, one or several to a file, in the order of names, by the service itself', async () => {
    write('b.json', RECONCILE);
    write('a.json', [doc('z'), doc('y', { state: 'preview' })]);
    write('notes.txt', 'no manifest');
    write('.hidden.json', '{');
    expect(await load()).toEqual([
      'z registered: ga',
      'y registered: preview',
      'reconcile-invoice registered: ga',
    ]);
    const { capability } = (await node.registry.head(FINANCE, SKILL))!;
    expect(capability.manifest).toMatchObject({ agentId: FINANCE, handler: 'recon.v3.reconcile' });
    const [event] = await node.store.readStream('capability-finance-agent/reconcile-invoice');
    expect(event?.metadata.actor).toEqual({
      principal: 'process:capability-loader',
      agent: null,
      tenant: null,
    });
  });

  it('is loaded once', async () => {
    write('a.json', [RECONCILE, doc('other')]);
    await load();
    expect(await load()).toEqual([]);
    expect(await recorded()).toHaveLength(2);
  });

  it('is recorded once by nodes that load it at once', async () => {
    write('a.json', [RECONCILE, doc('b'), doc('c')]);
    const second = await CapabilityNode.open({ folder: node.folder, hosted: agents });
    await Promise.all([load(), load(second)]);
    expect(await recorded()).toHaveLength(3);
    await second.close();
  });

  it('publishes the card once for all of it', async () => {
    const lookup = { visibility: 'public', requires_scopes: [] };
    write('a.json', [doc('a', lookup), doc('b', lookup), doc('c', lookup)]);
    await load();
    await load();
    expect(await node.store.readStream(`card-${FINANCE}`)).toHaveLength(1);
  });

  it('makes the registry what it says now', async () => {
    write('a.json', doc(SKILL, { state: 'preview' }));
    await load();
    write('a.json', [doc(SKILL, { owner: 'others' }), doc('v2')]);
    expect(await load()).toEqual([
      'reconcile-invoice revised: preview',
      'reconcile-invoice state-changed: ga',
      'v2 registered: ga',
    ]);
    write('a.json', [
      doc(SKILL, { owner: 'others', state: 'removed', replacement: 'v2' }),
      doc('v2'),
    ]);
    expect(await load()).toEqual([
      'reconcile-invoice state-changed: deprecated',
      'reconcile-invoice state-changed: removed',
    ]);
    expect(await load()).toEqual([]);
    expect((await node.registry.head(FINANCE, SKILL))?.capability.manifest).toMatchObject({
      owner: 'others',
      state: 'removed',
      replacement: 'v2',
    });
  });

  it('never goes back in life, and says so', async () => {
    write('a.json', RECONCILE);
    await load();
    await node.performAll(become('deprecated', 0));
    write('a.json', doc(SKILL, { owner: 'others' }));
    expect(await load()).toEqual([
      'reconcile-invoice revised: deprecated',
      'reconcile-invoice kept: its state stays deprecated: life does not go back',
    ]);
    await node.performAll(become('removed', 2));
    expect(await load()).toEqual(['reconcile-invoice kept: it is removed for ever']);
    expect(await stateOf()).toBe('removed');
  });

  it('gives a deprecated capability another replacement', async () => {
    write('a.json', [doc(SKILL, { state: 'deprecated', replacement: 'v2' }), doc('v2'), doc('v3')]);
    await load();
    write('a.json', [doc(SKILL, { state: 'deprecated', replacement: 'v3' }), doc('v2'), doc('v3')]);
    expect(await load()).toEqual(['reconcile-invoice state-changed: deprecated']);
  });

  it('removes what points to a tombstone already, or to nothing any more', async () => {
    write('a.json', [
      doc('v1', { state: 'deprecated', replacement: 'v2' }),
      doc('w1', { state: 'deprecated', replacement: 'v2' }),
      doc('v2', { state: 'deprecated' }),
    ]);
    await load();
    write('a.json', [doc('v2', { state: 'removed' })]);
    await load();
    write('a.json', [
      doc('v1', { state: 'removed', replacement: 'v2' }),
      doc('w1', { state: 'removed' }),
    ]);
    expect(await load()).toEqual(['w1 state-changed: removed', 'v1 state-changed: removed']);
  });

  it('says which members changed, from what to what', async () => {
    write('a.json', [RECONCILE, doc('v2')]);
    await load();
    const skill = { ...RECONCILE.skill, tags: ['finance'], description: 'Long. '.repeat(100) };
    const next = { owner: 'others', limits: { max_parts: 1 }, skill };
    write('a.json', [
      doc(SKILL, { ...next, state: 'deprecated', replacement: 'v2' }),
      doc('v2', { limits: {} }),
      doc('v3'),
    ]);
    const changes = await node.loader().load();
    expect(changes.map(({ change, changes: lines, level }) => [change, level, lines])).toEqual([
      [
        'revised',
        'info',
        [
          '/limits/max_pdf_pages: 200 → nothing',
          '/limits/cost_class: "medium" → nothing',
          '/limits: nothing → {}',
        ],
      ],
      [
        'revised',
        'info',
        [
          expect.stringMatching(/^\/skill\/description: "Matches [^→]{40,}… → "Long\. [^→]{40,}…$/),
          '/skill/tags/1: "invoices" → nothing',
          '/limits/max_pdf_pages: 200 → nothing',
          '/limits/cost_class: "medium" → nothing',
          '/owner: "finance-agents-team" → "others"',
          '/limits/max_parts: nothing → 1',
        ],
      ],
      ['state-changed', 'info', ['/state: "ga" → "deprecated"', '/replacement: nothing → "v2"']],
      ['registered', 'info', []],
    ]);
    write('a.json', doc(SKILL, { ...next }));
    expect(await node.loader().load()).toMatchObject([{ change: 'kept', level: 'warn' }]);
  });

  it('names at most twenty of the members that changed', async () => {
    const examples = (word: string): JsonObject => ({
      ...RECONCILE.skill,
      examples: Array.from({ length: 30 }, (_, index) => `${word} ${index}`),
    });
    write('a.json', doc(SKILL, { skill: examples('old') }));
    await load();
    write('a.json', doc(SKILL, { skill: examples('new') }));
    const [change] = await node.loader().load();
    expect(change?.changes).toHaveLength(21);
    expect(change?.changes.at(-1)).toBe('and 10 more');
  });

  it('may hold a whole history: chains of replacements down to tombstones, in any order', async () => {
    write('a.json', [
      doc('v1', { state: 'removed', replacement: 'v2' }),
      doc('v2', { state: 'removed', replacement: 'v3' }),
      doc('v3', { state: 'deprecated', replacement: 'v4' }),
      doc('v4'),
    ]);
    await load();
    expect(await recorded()).toEqual([
      'v4 capability-registered',
      'v3 capability-registered',
      'v2 capability-registered',
      'v1 capability-registered',
      'v1 capability-state-changed',
      'v2 capability-state-changed',
    ]);
    expect(await load()).toEqual([]);
  });

  it('is read once when agents share it, and may name its agent', async () => {
    const other = hostedAgent('other' as AgentId, { capabilitiesFolder: folder });
    const both = [...agents, other];
    const second = await CapabilityNode.open({ folder: node.folder, hosted: both });
    write('a.json', [RECONCILE, { ...RECONCILE, agentId: 'other' }]);
    await load(second, both);
    expect(await stateOf()).toBe('ga');
    expect(await second.registry.head(other.agentId, SKILL)).toBeDefined();
    await second.close();
  });
});

describe('a folder with a fault changes nothing, and every fault is told with its place', () => {
  afterEach(async () => {
    expect(await recorded()).toEqual([]);
  });

  it('in the files themselves', async () => {
    write('a.json', RECONCILE);
    write('b.json', '{"id":1,');
    write('c.json', '{"id":"a","id":"b"}');
    write('d.json', [doc('good'), doc('a b', { owner: '' })]);
    write('e.json', doc(SKILL));
    write('f.json', doc('elsewhere', { agentId: 'nobody' }));
    write('g.json', [3]);
    mkdirSync(join(folder, 'h.json'));
    expect(await faults()).toEqual([
      expect.stringMatching(/^b\.json: .*not JSON/),
      expect.stringMatching(/^c\.json: \/id: .*two members of one name/),
      expect.stringMatching(/^d\.json: \/1\/id: must be a skill id/),
      expect.stringMatching(/^d\.json: \/1\/owner: must be /),
      expect.stringMatching(/^e\.json: is the same capability as .*a\.json$/),
      expect.stringMatching(/^f\.json: \/agentId: nobody is not hosted here$/),
      'g.json: /0: must be an object',
      expect.stringMatching(/^h\.json: cannot be read \(EISDIR\)$/),
    ]);
  });

  it('in the schemas', async () => {
    const direct_invoke = {
      input_schema: { type: 'objekt', properties: { a: { minimum: 'x' } } },
      output_schema: { $ref: 'https://elsewhere.example/schema.json' },
      backend: { type: 'http' },
    };
    write('a.json', [doc('fine'), doc('a', { direct_invoke })]);
    const found = await faults();
    expect(found).toEqual([
      expect.stringMatching(/^a\.json: \/1\/direct_invoke\/input_schema\//),
      expect.stringMatching(/^a\.json: \/1\/direct_invoke\/input_schema\//),
      expect.stringMatching(/^a\.json: \/1\/direct_invoke\/output_schema: does not compile/),
    ]);
  });

  it('in the rules between members, beside all others', async () => {
    const direct_invoke = {
      input_schema: { type: 1 },
      output_schema: {},
      backend: { type: 'http' },
    };
    write('a.json', [
      doc('good'),
      doc('open', { visibility: 'public', direct_invoke, requires_contract: true }),
      doc('contract', { requires_contract: true }),
      doc('odd', { owner: 1, replacement: 'good' }),
    ]);
    expect((await faults()).map((fault) => fault.split(': ').slice(1, 3).join(' '))).toEqual([
      expect.stringMatching(/^\/1\/direct_invoke\/input_schema\/type /),
      '/1/requires_scopes public-capability-restricted',
      '/1/action contract-action-missing',
      '/2/action contract-action-missing',
      expect.stringMatching(/^\/3\/owner must be /),
      '/3/replacement replacement-unexpected',
    ]);
  });

  it('in what the registry takes', async () => {
    write('a.json', [
      doc('good'),
      doc('old', { state: 'deprecated', replacement: 'nothing' }),
      doc('x', { state: 'deprecated', replacement: 'y' }),
      doc('y', { state: 'deprecated', replacement: 'x' }),
    ]);
    expect((await faults()).map((fault) => fault.split(': ').slice(1, 3).join(' ')).sort()).toEqual(
      ['/1 replacement-not-found', '/2 replacement-not-found', '/3 replacement-not-found'].sort(),
    );
  });

  it('when it is not there', async () => {
    const gone = [hostedAgent(FINANCE, { capabilitiesFolder: join(folder, 'gone') })];
    expect(await faults(gone)).toEqual(['gone: cannot be read (ENOENT)']);
  });
});

describe('what is worth knowing of the capabilities', () => {
  class Advising extends RegistrationAdvice {
    constructor(private readonly known: Promise<readonly SkillAdvice[]>) {
      super();
    }
    override async warningsFor(): Promise<readonly SkillAdvice[]> {
      return Promise.resolve([]);
    }
    override async *survey(): AsyncGenerator<SkillAdvice> {
      yield* await this.known;
    }
  }
  const advice = (skillId: string): SkillAdvice => ({
    skillId: skillId as SkillId,
    code: 'handler-absent',
    detail: 'No handler.',
  });

  it('is logged after the start, which does not wait for it', async () => {
    write('a.json', RECONCILE);
    let tell: (all: readonly SkillAdvice[]) => void = () => undefined;
    const known = new Promise<readonly SkillAdvice[]>((resolve) => (tell = resolve));
    expect(await node.loader(agents, new Advising(known)).load()).toHaveLength(1);
    const lines = await logOf(async () => {
      tell([advice(SKILL)]);
      await aMoment();
    });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'warn',
      agentId: FINANCE,
      skillId: SKILL,
      code: 'handler-absent',
      detail: 'No handler.',
    });
  });

  it('is told in at most a hundred lines for each agent', async () => {
    const many = Array.from({ length: 130 }, (_, index) => advice(`s${index}`));
    const survey = new RegistrySurvey(
      agents,
      node.store,
      node.runner,
      new Advising(Promise.resolve(many)),
    );
    const lines = await logOf(async () => survey.run());
    expect(lines).toHaveLength(101);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ agentId: FINANCE, more: 30 });
  });

  it('is told of all of an agent’s capabilities together, however many lines there are of single ones', async () => {
    const all = Array.from({ length: 130 }, (_, index) => advice(`s${index}`));
    const together = { skillId: null, code: 'too-many-texts', detail: 'Too many.' };
    const advising = new Advising(Promise.resolve([...all, together]));
    const survey = new RegistrySurvey(agents, node.store, node.runner, advising);
    const lines = (await logOf(async () => survey.run())).map((line) => JSON.parse(line) as Json);
    expect(lines).toHaveLength(102);
    expect(lines).toContainEqual(
      expect.objectContaining({ agentId: FINANCE, code: 'too-many-texts', detail: 'Too many.' }),
    );
  });

  it('is not told from views that lack a part of the log, but that it could not be', async () => {
    await node.runner.stop();
    await node.ledger.admit(admission({ skillId: SKILL }), ORIGIN);
    const advising = new Advising(Promise.resolve([advice(SKILL)]));
    const survey = new RegistrySurvey(agents, node.store, node.runner, advising);
    const lines = await logOf(async () => survey.run());
    expect(lines.map((line) => JSON.parse(line) as Json)).toEqual([
      expect.objectContaining({
        message: 'the capabilities could not be looked at',
        fault: expect.stringContaining('did not catch up'),
      }),
    ]);
    survey.onModuleDestroy();
    expect(await logOf(async () => survey.run())).toEqual([]);
  });

  it('is nobody’s business once the node stops', async () => {
    const advising = new Advising(Promise.resolve([advice(SKILL)]));
    const survey = new RegistrySurvey(agents, node.store, node.runner, advising);
    survey.onModuleDestroy();
    expect(await logOf(async () => survey.run())).toEqual([]);
  });
});

describe('a start while others write', () => {
  const ids = Array.from({ length: 20 }, (_, n) => `s${n}`);
  const ownerOf = ({ data }: { readonly data: JsonObject }): unknown =>
    (data['manifest'] as JsonObject | undefined)?.['owner'];

  /** Revises all of them in turn, until it is told to stop; how often it did. */
  async function revising(by: CapabilityNode, isOver: () => boolean): Promise<number> {
    let count = 0;
    for (let n = 0; !isOver(); n++) {
      const { capability } = (await by.registry.head(FINANCE, ids[n % ids.length] as SkillId))!;
      const { manifest, revision } = capability;
      const owner = `rest-${n}`;
      const revised = { ...manifest, owner };
      const command = { kind: 'revise', manifest: revised, expectedRevision: revision } as const;
      if ((await by.perform(command)).ok) count++;
    }
    return count;
  }

  it('makes each capability once what its file says', async () => {
    write(
      'a.json',
      ids.map((id) => doc(id)),
    );
    await load();
    const other = await CapabilityNode.open({ folder: node.folder, hosted: agents });
    for (let round = 0; round < 4; round++) {
      const owner = `file-${round}`;
      write(
        'a.json',
        ids.map((id) => doc(id, { owner })),
      );
      let isOver = false;
      const writing = revising(other, () => isOver);
      const changes = await load();
      isOver = true;
      expect(await writing).toBeGreaterThan(0);
      expect(changes).toHaveLength(ids.length);
      for (const id of ids) {
        const events = await node.store.readStream(capabilityStream(FINANCE, id as SkillId));
        expect(events.filter((event) => ownerOf(event) === owner)).toHaveLength(1);
      }
    }
    await other.close();
  });
});

describe('a node that starts with views of its own to build', () => {
  it('waits for them before it judges what rests on them', async () => {
    write('a.json', doc(SKILL, { state: 'deprecated' }));
    await load();
    for (let i = 0; i < 300; i++) await node.ledger.admit(admission({ skillId: SKILL }), ORIGIN);
    write('a.json', doc(SKILL, { state: 'removed' }));
    const fresh = await CapabilityNode.open({ folder: node.folder, hosted: agents });
    await expect(fresh.loader().load()).rejects.toThrow('capability-in-use');
    await fresh.close();
  });
});

describe('what a backend says of itself', () => {
  const direct = (name: string): JsonObject => ({
    direct_invoke: {
      input_schema: {},
      output_schema: {},
      backend: { type: 'http', name },
    },
  });
  const bind = (name: string): void => {
    node.summaries.set(`${FINANCE} ${RECONCILE.handler}`, { type: 'http', name });
  };

  it('is what a file says of it, or nothing is loaded', async () => {
    bind('ledger');
    write('a.json', [doc('good', direct('ledger')), doc('bad', direct('payroll'))]);
    expect(await faults()).toEqual([expect.stringMatching('/1: backend-summary-mismatch: ')]);
    expect(await recorded()).toEqual([]);
  });

  it('is what every capability says of it that is registered, or the node does not start', async () => {
    write('a.json', [
      doc('one', direct('ledger')),
      doc('two', direct('ledger')),
      doc('gone', { state: 'deprecated', ...direct('ledger') }),
      doc('plain'),
    ]);
    await load();
    write('a.json', doc('gone', { state: 'removed', ...direct('ledger') }));
    await load();
    bind('payroll');
    const mismatch = 'backend-summary-mismatch: direct_invoke.backend is not what';
    expect(await faults()).toEqual([
      expect.stringMatching(`^${FINANCE}/one: ${mismatch}`),
      expect.stringMatching(`^${FINANCE}/two: ${mismatch}`),
    ]);
    bind('ledger');
    expect(await faults()).toEqual([]);
  });
});

describe('a removal by file', () => {
  it('is refused while the capability is in use, and nothing else is loaded', async () => {
    write('a.json', doc(SKILL, { state: 'deprecated' }));
    await load();
    await node.ledger.admit(admission({ skillId: SKILL }), ORIGIN);
    write('a.json', [doc(SKILL, { state: 'removed' }), doc('new')]);
    expect(await faults()).toEqual([expect.stringMatching(/^a\.json: \/0: capability-in-use: /)]);
    expect(await recorded()).toHaveLength(1);
  });
});
