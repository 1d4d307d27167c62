import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentExecution } from '../../../src/agents/agent-execution.js';
import type { AgentCommand } from '../../../src/agents/domain/commands.js';
import { agentStream } from '../../../src/agents/domain/stream.js';
import type { KeyStore } from '../../../src/event-store/key-store.js';
import type { EventStore, Position } from '../../../src/event-store/port.js';
import { openSqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';
import { ok } from '../../../src/kernel/result.js';
import { at, context, ownerAdmin } from './agents.js';

/** Real stores in a temporary folder, with agents in them. */
export class AgentStore {
  /** Seconds after the tests' beginning, by the store's clock. */
  second = 0;
  readonly agents: AgentExecution;

  private constructor(
    readonly folder: string,
    readonly store: EventStore,
    readonly keys: KeyStore,
  ) {
    this.agents = new AgentExecution(store, keys, () => Date.parse(at(this.second)), randomBytes);
  }

  static async make(): Promise<AgentStore> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-agents-'));
    const store = await openSqliteEventStore(join(folder, 'events.db'), {
      onFault: (fault) => {
        throw fault;
      },
    });
    const keys = await openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });
    return new AgentStore(folder, store, keys);
  }

  /** By the owner with `agents:admin`; must succeed. */
  async perform(command: AgentCommand): Promise<Position> {
    const envelope = {
      commandId: randomUUID(),
      requestDigest: '',
      actor: { principal: 'p', agent: null, tenant: null },
      correlationId: randomUUID(),
      causationId: null,
      traceparent: null,
    };
    const executed = await this.agents.execute(
      agentStream(command.agentId),
      command,
      envelope,
      async (_, now) => ok({ context: context(now(), ownerAdmin), basedOn: {} }),
    );
    if (!executed.ok) throw new Error(executed.error.code);
    return executed.value.position;
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.keys.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
