import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, taskIdOf, type Reply } from '../a2a/transports/support/bindings.js';
import { aMoment, eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { deployment, scripted } from './support/deployment.js';
import { AgentClient, outcomeOf } from './support/direct-calls.js';
import { Operator } from './support/operator.js';
import { journalOf } from './support/recorded.js';
import { playing, type Step } from './support/script.js';
import { SUM_SUMMARY } from './support/sum.js';

const AGENT = 'studio';
const ADDENDS = {
  type: 'object',
  required: ['a', 'b'],
  properties: { a: { type: 'number' }, b: { type: 'number' } },
};

let service: InProcessService;
let alice: AgentClient;
let count = 0;

beforeAll(async () => {
  const sum = scripted('sum', {
    handler: 'e2e.sum',
    skill: { outputModes: ['application/json'] },
    direct_invoke: { input_schema: ADDENDS, output_schema: {}, backend: SUM_SUMMARY },
  });
  const alone = { limits: { max_concurrent: 1 } };
  const manifests = [scripted('alone', alone), scripted('waits'), sum];
  service = await startTestService(await deployment({ [AGENT]: manifests }));
  const token = await service.token({ principal: 'alice', scopes: [] });
  alice = new AgentClient(service, AGENT, token);
});

afterAll(async () => {
  await service.dispose();
});

const file = (name: string) => join(service.folder, `${name}-${String(count++)}`);

const play = async (
  skillId: string,
  steps: readonly Step[],
  { configuration = {}, ...more }: JsonObject = {},
): Promise<Reply> => {
  const params = playing(steps, { metadata: { skillId }, ...more });
  return alice.ask('SendMessage', { ...params, configuration });
};

describe('a limit of calls at once', () => {
  it('counts what runs, so that cancelling makes no room for more', async () => {
    const [journal, gate] = [file('journal'), file('gate')];
    const more = { journal, configuration: { returnImmediately: true } };
    const steps = [{ stubbornUntil: gate }] as const;
    const outcomes: string[] = [];
    for (let time = 0; time < 6; time++) {
      const reply = await play('alone', steps, more);
      outcomes.push(outcomeOf(reply));
      if (reply.error !== undefined) continue;
      const id = taskIdOf(reply);
      await eventually(() => journalOf(journal).length === 1);
      await alice.ask('CancelTask', { id });
      expect(await alice.stateOf(id)).toBe('CANCELED');
      // Longer than it takes to be told so.
      await aMoment(300);
    }
    expect(outcomes).toEqual(['SUBMITTED', ...Array(5).fill('CAPABILITY_BUSY')]);
    expect(journalOf(journal)).toHaveLength(1);
    await writeFile(gate, '');
    await eventually(async () => outcomeOf(await play('alone', ['completed'])) === 'COMPLETED');
  });
});

describe('a task that waits for its caller', () => {
  it('goes on with the handler that asked, after the manifest names another', async () => {
    const operator = await Operator.of(service, AGENT);
    const asked = await play('waits', ['input-required']);
    await operator.revise('waits', scripted('waits', { handler: 'e2e.named' }));
    const taskId = taskIdOf(asked);
    const end = await play('waits', [{ say: 'by the script' }, 'completed'], { taskId });
    expect(end.result).toMatchObject({
      task: { id: taskId, artifacts: [{ artifactId: 'by the script' }] },
    });
    const fresh = await play('waits', ['input-required']);
    expect(fresh.text).toContain('ran waits');
  });
});

describe.each(BINDINGS)('data for a backend in a message ($name)', (binding) => {
  const add = async (...data: readonly JsonObject[]): Promise<Reply> => {
    const { message } = playing([], { metadata: { skillId: 'sum' } }) as { message: JsonObject };
    const parts = data.map((each) => ({ data: each }));
    return alice.over(binding).ask('SendMessage', { message: { ...message, parts } });
  };
  const noise = (length: number) => Array.from({ length }, (_, index) => ({ note: index }));

  it('is the one part that fits, and no part is left unread', async () => {
    const one = await add(...noise(7), { a: 1, b: 2 });
    expect(one.text).toContain('"sum":3');
    for (const data of [
      [{ a: 1, b: 2 }, ...noise(7), { a: 3, b: 4 }],
      [...noise(8), { a: 1, b: 2 }],
    ]) {
      const refused = await add(...data);
      expect(outcomeOf(refused)).toBe('DATA_UNFIT');
      expect(refused.text).toContain('at most 8 data parts');
    }
  });
});
