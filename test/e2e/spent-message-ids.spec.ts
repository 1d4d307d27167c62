import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, taskIdOf } from '../a2a/transports/support/bindings.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AgentClient, invoking, outcomeOf } from './support/direct-calls.js';
import { FINANCE, financeDeployment, ledgerSkill, SCOPE, startBackend } from './support/finance.js';
import { recordedIn } from './support/recorded.js';
import { playing } from './support/script.js';

const HOUR_MS = 3_600_000;

let service: InProcessService;
let backend: SampleBackend;
let retentionMs = HOUR_MS;

beforeAll(async () => {
  backend = await startBackend(() => service);
  service = await startTestService({
    ...(await financeDeployment(backend, [ledgerSkill('lookup')])),
    settings: (config) => ({ ...config, a2a: { ...config.a2a, taskRetentionMs: retentionMs } }),
  });
});

afterAll(async () => {
  await service.dispose();
  await backend.stop();
});

/** The service with this retention from now on. */
async function keeping(milliseconds: number): Promise<void> {
  retentionMs = milliseconds;
  await service.restart();
}

describe.each(BINDINGS)(
  'a message that comes again after the retention of its task ($name)',
  (binding) => {
    it.each<readonly [string, () => JsonObject, boolean, string]>([
      [
        'routed',
        () => playing(['completed'], { metadata: { skillId: 'lookup' } }),
        false,
        'MESSAGE_ID_SPENT',
      ],
      [
        'a direct invoke',
        () => invoking('lookup', { invoice: 'INV-1' }),
        true,
        'IDEMPOTENCY_CONFLICT message-id-spent',
      ],
    ])('is refused as spent: %s', async (_, make, isDirect, refusal) => {
      const token = await service.token({
        principal: `${binding.name} ${String(isDirect)}`,
        tenant: 'partner',
        scopes: [SCOPE],
      });
      const client = new AgentClient(service, FINANCE, token, binding);
      const params = make();
      const send = async () => (isDirect ? client.send(params) : client.ask('SendMessage', params));
      const first = await send();
      expect(outcomeOf(first)).toBe('COMPLETED');
      const id = taskIdOf(first);
      await keeping(1);
      await eventually(async () => (await client.ask('GetTask', { id })).error !== undefined);
      await keeping(HOUR_MS);
      const runs = backend.received.length;
      for (let time = 0; time < 2; time++) {
        const again = await send();
        expect(outcomeOf(again)).toBe(refusal);
        expect(again.text).not.toContain('nothing was run');
        expect(again.error?.metadata).not.toHaveProperty('taskId');
      }
      expect(backend.received.length).toBe(runs);
      expect((await client.ask('ListTasks', {})).result).toMatchObject({ tasks: [] });
      const admitted = (await recordedIn(service.folder, 'events.db')).filter(
        ({ type, data }) => type === 'invocation-admitted' && data['taskId'] === id,
      );
      expect(admitted).toHaveLength(1);
    });
  },
);
