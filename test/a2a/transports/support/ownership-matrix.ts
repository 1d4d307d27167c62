import { describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../../../src/a2a/transports/operations.js';
import type { JsonObject } from '../../../../src/kernel/json.js';
import { BINDINGS, saying, type Ask, type Binding, type Reply } from './bindings.js';

/** What the matrix is played on: a node with a hosted agent. */
export interface OwnershipSubject {
  readonly agentUrl: string;
  readonly ownersToken: string;
  readonly othersToken: string;
  /**
   * A new task of the owner: `live`, its turn is under way; `stored`, it has ended.
   * @returns its id
   */
  task(kind: 'live' | 'stored'): Promise<string>;
}

/** What the owner gets: `ok`, or the reason of the refusal. */
type Expected = Readonly<Record<'live' | 'stored', string>>;

interface Row {
  readonly operation: OperationName;
  readonly params: (taskId: string) => JsonObject;
  readonly owner: Expected;
}

const ALWAYS: Expected = { live: 'ok', stored: 'ok' };
/** Nobody listens there: what is kept is at stake, not what is delivered. */
const CONFIG = { id: 'c-1', url: 'http://127.0.0.1:4949/' };
const UNKNOWN = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11';

const ROWS: readonly Row[] = [
  { operation: 'GetTask', params: (id) => ({ id }), owner: ALWAYS },
  {
    operation: 'CreateTaskPushNotificationConfig',
    params: (taskId) => ({ ...CONFIG, taskId }),
    owner: ALWAYS,
  },
  {
    operation: 'GetTaskPushNotificationConfig',
    params: (taskId) => ({ taskId, id: 'c-1' }),
    owner: ALWAYS,
  },
  { operation: 'ListTaskPushNotificationConfigs', params: (taskId) => ({ taskId }), owner: ALWAYS },
  {
    operation: 'DeleteTaskPushNotificationConfig',
    params: (taskId) => ({ taskId, id: 'c-1' }),
    owner: ALWAYS,
  },
  {
    operation: 'SubscribeToTask',
    params: (id) => ({ id }),
    owner: { live: 'ok', stored: 'UNSUPPORTED_OPERATION' },
  },
  {
    operation: 'SendMessage',
    params: (taskId) => saying('go on', { taskId }),
    owner: { live: 'ok', stored: 'UNSUPPORTED_OPERATION' },
  },
  {
    operation: 'SendStreamingMessage',
    params: (taskId) => saying('go on', { taskId }),
    owner: { live: 'ok', stored: 'UNSUPPORTED_OPERATION' },
  },
  {
    operation: 'CancelTask',
    params: (id) => ({ id }),
    owner: { live: 'ok', stored: 'TASK_NOT_CANCELABLE' },
  },
];

/**
 * Declares the tests of who may do what with a task: each operation, for its owner, another
 * principal and nobody in particular, in both bindings, on a live and on a stored task. To everybody
 * but its owner a task is exactly as one that never was.
 * @param subject asked once a test runs
 * @param exceptions what the owner gets where the subject differs from the table
 */
export function ownershipMatrix(
  subject: () => OwnershipSubject,
  exceptions: Partial<Record<OperationName, Expected>> = {},
): void {
  describe.each(BINDINGS)('over $name', (binding) => {
    describe.each(['live', 'stored'] as const)('of a %s task', (kind) => {
      it.each(ROWS)('$operation is for the owner', async (row) => {
        const { operation, params, owner } = row;
        const { agentUrl, ownersToken, task } = subject();
        const id = await task(kind);
        const ask: Ask = { token: ownersToken, take: 1 };
        if (/^(Get|List|Delete).*Config/.test(operation)) {
          const config = { ...CONFIG, taskId: id };
          await binding.call(agentUrl, 'CreateTaskPushNotificationConfig', config, ask);
        }
        const reply = await binding.call(agentUrl, operation, params(id), ask);
        expect(reply.error?.reason ?? 'ok').toBe((exceptions[operation] ?? owner)[kind]);
      });

      it.each(ROWS)('$operation is for nobody else, who learns nothing', async (row) => {
        const { agentUrl, ownersToken, othersToken, task } = subject();
        const id = await task(kind);
        const before = await state(binding, subject(), id);
        for (const token of [othersToken, undefined]) {
          const foreign = await binding.call(agentUrl, row.operation, row.params(id), { token });
          const unknown = await binding.call(agentUrl, row.operation, row.params(UNKNOWN), {
            token,
          });
          expect(foreign.error?.reason).toBe('TASK_NOT_FOUND');
          expect(shownBy(foreign, id)).toEqual(shownBy(unknown, UNKNOWN));
        }
        expect(await state(binding, subject(), id)).toEqual(before);
        const configs = await binding.call(
          agentUrl,
          'ListTaskPushNotificationConfigs',
          { taskId: id },
          { token: ownersToken },
        );
        expect(configs.result?.['configs'] ?? []).toEqual([]);
      });

      it('only the owner lists it', async () => {
        const { agentUrl, ownersToken, othersToken, task } = subject();
        const id = await task(kind);
        const lists = async (token: string | undefined): Promise<boolean> => {
          const reply = await binding.call(agentUrl, 'ListTasks', { pageSize: 100 }, { token });
          return reply.text.includes(id);
        };
        expect([
          await lists(ownersToken),
          await lists(othersToken),
          await lists(undefined),
        ]).toEqual([true, false, false]);
      });
    });
  });
}

async function state(
  binding: Binding,
  { agentUrl, ownersToken }: OwnershipSubject,
  id: string,
): Promise<unknown> {
  return (await binding.call(agentUrl, 'GetTask', { id }, { token: ownersToken })).result;
}

/** All that tells two answers apart, but for ids that differ by nature. */
function shownBy({ status, headers, text }: Reply, id: string): unknown {
  const telling = [...headers].filter(([name]) => !['date', 'x-correlation-id'].includes(name));
  return { status, headers: telling, text: text.replaceAll(id, '<id>') };
}
