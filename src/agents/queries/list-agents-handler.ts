import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { ReadModel, SqlValue } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { agentStream } from '../domain/stream.js';
import { agentDirectory } from '../projection.js';
import { readStoredAgent } from '../stored-agent.js';
import { ListAgents, type DirectoryEntry, type DirectoryFilter } from './list-agents.js';

@QueryHandler(ListAgents)
export class ListAgentsHandler implements IQueryHandler<ListAgents> {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute(query: ListAgents): Promise<Result<readonly DirectoryEntry[], Rejection>> {
    const { readWaitMs } = this.config;
    if (!(await this.readModel.waitFor(query.position, readWaitMs, [agentDirectory.name]))) {
      return err({ code: 'projection-behind' });
    }
    const { conditions, values } = sqlOf(query.filter);
    const rows = this.readModel
      .prepare<{ agent: string }>(
        `SELECT agent FROM agent_directory
         WHERE ${['agent_id > @after', ...conditions].join(' AND ')}
         ORDER BY agent_id LIMIT +@limit`,
      )
      .all({ ...values, after: query.after, limit: query.limit });
    return ok(
      rows.map((row) => {
        const agent = readStoredAgent(row.agent);
        const stream = agentStream(agent.agentId);
        return { agent, reliable: this.readModel.isReliable(agentDirectory.name, stream) };
      }),
    );
  }
}

function sqlOf(filter: DirectoryFilter): {
  readonly conditions: readonly string[];
  readonly values: Readonly<Record<string, SqlValue>>;
} {
  const conditions: string[] = [];
  const values: Record<string, SqlValue> = {};
  if (filter.tenant !== undefined) {
    conditions.push('tenant = @tenant');
    values['tenant'] = filter.tenant;
  }
  if (filter.owner !== undefined) {
    conditions.push('tenant = @ownerTenant AND owner = @owner');
    values['ownerTenant'] = filter.owner.tenant;
    values['owner'] = filter.owner.principal;
  }
  if (filter.hosted !== undefined) {
    conditions.push('hosted = @hosted');
    values['hosted'] = filter.hosted ? 1 : 0;
  }
  if (filter.retired !== undefined) {
    conditions.push('retired = @retired');
    values['retired'] = filter.retired ? 1 : 0;
  }
  return { conditions, values };
}
