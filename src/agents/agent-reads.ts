import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { matchesIfNoneMatch } from '../http/etag.js';
import { RejectionException } from '../http/rejection-exception.js';
import type { RequestContext } from '../http/request-context.js';
import { parseAgentId, type AgentId } from '../kernel/ids.js';
import { agentEtag } from './agent-etag.js';
import type { Agent } from './domain/agent.js';
import { AgentHeads } from './queries/agent-heads.js';

/** The way of the agents' controllers to one agent, read from the head of its stream. */
@Injectable()
export class AgentReads {
  constructor(private readonly queries: QueryBus) {}

  /**
   * Answers with the document that `show` makes of the agent, or 304 when the client has it. The
   * stream's head is never behind, so that there is no position to wait for.
   * @throws {RejectionException} `agent-not-found`
   */
  async show<Document>(
    idText: string,
    request: RequestContext,
    reply: FastifyReply,
    show: (agent: Agent) => Document,
  ): Promise<Document | undefined> {
    const agentId = agentIdOf(idText);
    const agent = (await this.queries.execute(new AgentHeads([agentId]))).get(agentId);
    if (agent === undefined) throw new RejectionException({ code: 'agent-not-found' });
    const etag = agentEtag(agent.revision);
    // Another tenant sees another document under the same tag.
    reply.headers({ etag, vary: 'authorization', 'cache-control': 'private, no-cache' });
    if (!matchesIfNoneMatch(request.ifNoneMatch, etag)) return show(agent);
    reply.code(304);
    return undefined;
  }
}

/**
 * The agent id of an address. One that cannot be an id names no agent.
 * @throws {RejectionException} `agent-not-found`
 */
export function agentIdOf(text: string): AgentId {
  const agentId = parseAgentId(text);
  if (agentId === undefined) throw new RejectionException({ code: 'agent-not-found' });
  return agentId;
}
