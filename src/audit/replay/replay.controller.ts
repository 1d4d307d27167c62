import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import type { EventStore, Position } from '../../event-store/port.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import { CLOUD_EVENTS_BATCH } from '../../http/cloud-event.js';
import { NDJSON } from '../../http/ndjson.js';
import { Problems } from '../../http/openapi/problems.js';
import { orReject } from '../../http/rejection-exception.js';
import { CurrentRequest, type RequestContext } from '../../http/request-context.js';
import { replayLimitOf, ReplayParameters } from './dto/replay-parameters.js';
import { ReplayedEventDocument } from './dto/replayed-event.js';
import { ReplayAnswers } from './replay-answers.js';
import { preferredForm, type ReplayForm } from './replay-form.js';
import type { ReplayQuery } from './replay-query.js';
import { replayStart } from './replay-start.js';

const EVENT = { $ref: getSchemaPath(ReplayedEventDocument) };

const DESCRIPTION = `Forwards, in the order of the log, each event as it is stored. With \`audit:read-all\` every event of the
audited streams; with \`audit:read\` those that concern the caller’s tenant; without either the events of
interactions of which the token acts for a party. What a reader may not see is not there.

\`Accept\` chooses the form. A page (the default) may be short, or empty, and there is more all the same:
\`Link: <…>; rel="next"\` says so, and \`Position-Token\` how far was looked. Eight at once are served to a caller. \`text/event-stream\` goes on
live; \`id\` is the position, an event \`caught-up\` tells once that the head was reached, a last event \`problem\`
why it ends. \`application/x-ndjson\` exports to the head of the moment, which \`Position-Token\` names; one that is
cut ends with a reset of the connection. Streams last an hour at most; \`Last-Event-ID\`, or \`after\`, goes on where one ended.`;

/** The audited log for whoever recomputes it. */
@ApiTags('audit')
@ApiExtraModels(ReplayedEventDocument)
@Controller('v1/events')
export class ReplayController {
  constructor(
    private readonly answers: ReplayAnswers,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The audited log, event by event', description: DESCRIPTION })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Of a live stream: begin after this position, whatever `after` says.',
    schema: { type: 'string' },
  })
  @ApiResponse({
    status: 200,
    description: 'Events, as the caller may see them.',
    headers: {
      'Position-Token': { schema: { type: 'string' }, description: 'How far was looked.' },
      Link: { schema: { type: 'string' }, description: 'The next page, while there is one.' },
    },
    content: {
      [CLOUD_EVENTS_BATCH]: { schema: { type: 'array', items: EVENT } },
      'text/event-stream': { schema: { type: 'string' } },
      [NDJSON]: { schema: EVENT },
    },
  })
  @Problems('position-invalid', 'projection-behind', 'too-many-streams')
  async events(
    @Query() parameters: ReplayParameters,
    @CurrentRequest() request: RequestContext,
    @Req() raw: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = preferredForm(raw.headers.accept);
    const start = startOf(form, parameters, raw);
    const after = orReject(await replayStart(this.store, start, this.config.readWaitMs));
    const query = queryOf(parameters, after);
    reply.header('vary', 'accept');
    if (form === 'page') {
      const asked = new URLSearchParams(raw.url.split('?', 2)[1] ?? '');
      await this.answers.page(reply, request, query, replayLimitOf(parameters), asked);
    } else if (raw.method === 'HEAD') {
      const type = form === 'live' ? 'text/event-stream' : NDJSON;
      void reply.header('content-type', `${type}; charset=utf-8`).send();
    } else if (form === 'live') {
      await this.answers.live(reply, request, query);
    } else {
      await this.answers.export(reply, request, query, await this.store.head());
    }
  }
}

/** A browser repeats the address of its first request, so its `Last-Event-ID` goes before `after`. */
function startOf(
  form: ReplayForm,
  { after }: ReplayParameters,
  { headers }: FastifyRequest,
): string | undefined {
  const seen = form === 'live' ? headers['last-event-id'] : undefined;
  return seen === undefined || seen === '' ? after : String(seen);
}

function queryOf(parameters: ReplayParameters, after: Position): ReplayQuery {
  const { stream, type, agent, since, until, texts } = parameters;
  return {
    after,
    stream,
    types: type === undefined ? undefined : [type].flat(),
    agent,
    since,
    until,
    texts: texts !== 'false',
  };
}
