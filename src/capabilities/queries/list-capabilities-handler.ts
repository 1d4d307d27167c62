import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { capabilityStream } from '../domain/stream.js';
import { capabilityDirectory } from '../projection.js';
import { readStoredCapability } from '../stored-capability.js';
import { ListCapabilities, type ListedCapability } from './list-capabilities.js';

@QueryHandler(ListCapabilities)
export class ListCapabilitiesHandler implements IQueryHandler<ListCapabilities> {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CONFIG) private readonly config: Pick<Config, 'readWaitMs'>,
  ) {}

  async execute(query: ListCapabilities): Promise<Result<readonly ListedCapability[], Rejection>> {
    const { filter, after, limit, position } = query;
    const { readWaitMs } = this.config;
    if (!(await this.readModel.waitFor(position, readWaitMs, [capabilityDirectory.name]))) {
      return err({ code: 'projection-behind' });
    }
    const { agents, ...equal } = filter;
    const conditions = [
      'agent_id IN (SELECT value FROM json_each(@agents))',
      '(agent_id, skill_id) > (@afterAgent, @afterSkill)',
      ...Object.keys(equal).map((column) => `${column} = @${column}`),
    ];
    const rows = this.readModel
      .prepare<{ capability: string }>(
        `SELECT capability FROM capability_directory WHERE ${conditions.join(' AND ')}
         ORDER BY agent_id, skill_id LIMIT +@limit`,
      )
      .all({
        ...equal,
        agents: JSON.stringify(agents),
        afterAgent: after[0],
        afterSkill: after[1],
        limit,
      });
    return ok(
      rows.map((row) => {
        const capability = readStoredCapability(row.capability);
        const { agentId, id } = capability.manifest;
        const stream = capabilityStream(agentId, id);
        return {
          capability,
          reliable: this.readModel.isReliable(capabilityDirectory.name, stream),
        };
      }),
    );
  }
}
