import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import type { Config } from '../../config/config.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { CONFIG, HOSTED_AGENTS } from '../../config/tokens.js';
import { Public } from '../../http/access.js';
import { matchesIfNoneMatch } from '../../http/etag.js';
import { Problems } from '../../http/openapi/problems.js';
import { POSITION_TOKEN_HEADER } from '../../http/position-token.js';
import { orReject, RejectionException } from '../../http/rejection-exception.js';
import { PublicCards } from './public-cards.js';

/** Short: a card that is no longer true sends callers to skills that are gone. */
const CACHE_CONTROL = 'public, max-age=60';

const CARD = {
  status: 200,
  description: 'AgentCard of A2A v1.0, signed.',
  schema: { type: 'object' },
} as const;

/** Public agent cards (A2A v1.0 section 8.2), for everybody. */
@ApiTags('a2a')
@Controller()
export class CardController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(HOSTED_AGENTS) private readonly agents: readonly HostedAgent[],
    @Inject(CapabilityRegistry) private readonly registry: CapabilityRegistry,
    @Inject(PublicCards) private readonly cards: PublicCards,
  ) {}

  @Get('.well-known/agent-card.json')
  @Public({ readsWrites: true, shared: true })
  @ApiOperation({ summary: 'The public card of the default agent' })
  @ApiResponse(CARD)
  @Problems('not-found', 'projection-behind', 'card-key-unavailable', 'contention')
  async ofDefault(
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    return await this.#serve(this.agents[0], headers, reply);
  }

  @Get('a2a/:agent/.well-known/agent-card.json')
  @Public({ readsWrites: true, shared: true })
  @ApiOperation({ summary: 'The public card of a hosted agent' })
  @ApiParam({ name: 'agent', example: 'finance-agent' })
  @ApiResponse(CARD)
  @Problems('not-found', 'projection-behind', 'card-key-unavailable', 'contention')
  async ofAgent(
    @Param('agent') agentId: string,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    const agent = this.agents.find((each) => each.agentId === agentId);
    return await this.#serve(agent, headers, reply);
  }

  async #serve(
    agent: HostedAgent | undefined,
    headers: Readonly<Record<string, string | undefined>>,
    reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    if (agent === undefined) throw new RejectionException({ code: 'not-found' });
    await this.#readYourWrites(headers[POSITION_TOKEN_HEADER]);
    const { bytes, etag } = orReject(await this.cards.of(agent));
    reply.headers({ etag, 'cache-control': CACHE_CONTROL });
    if (matchesIfNoneMatch(headers['if-none-match'] ?? null, etag)) {
      reply.code(304);
      return undefined;
    }
    reply.header('content-type', 'application/json; charset=utf-8');
    return bytes;
  }

  /** The edge has waited for the log; the view that cards are made from comes after it. */
  async #readYourWrites(positionToken: string | undefined): Promise<void> {
    if (positionToken === undefined) return;
    if (await this.registry.isComplete(this.config.readWaitMs)) return;
    throw new RejectionException({ code: 'projection-behind' });
  }
}
