import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags, type SchemaObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/tokens.js';
import { REJECTIONS, type RejectionCode } from '../kernel/rejection.js';
import { Public } from './access.js';
import { Problems } from './openapi/problems.js';
import { RejectionException } from './rejection-exception.js';
import { REJECTION_STATUS, retryAfterSeconds } from './rejection-status.js';
import { WORDS } from './rejection-words.js';

/** The documentation of one code, as its `type` URI answers it. */
interface ProblemPage {
  readonly type: string;
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  /** True when the same request may succeed later, without any change. */
  readonly retriable: boolean;
}

const CODES = Object.keys(REJECTIONS) as RejectionCode[];

const PAGE_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['type', 'code', 'status', 'title', 'meaning', 'retriable'],
  properties: {
    type: { type: 'string', format: 'uri' },
    code: { type: 'string', enum: CODES },
    status: { type: 'integer' },
    title: { type: 'string' },
    meaning: { type: 'string' },
    retriable: { type: 'boolean' },
  },
};

/** How a page is described. */
function inBothForms(schema: SchemaObject): Record<string, { schema: SchemaObject }> {
  return { 'application/json': { schema }, 'text/html': { schema: { type: 'string' } } };
}

/** What the `type` URIs of problem documents lead to: JSON, or HTML for whoever asks for it. */
@ApiTags('problems')
@Controller('problems')
export class ProblemPagesController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get()
  @Public({ shared: true })
  @ApiOperation({ summary: 'Every code with which the service refuses' })
  @ApiResponse({
    status: 200,
    description: 'The whole catalogue.',
    content: inBothForms({
      type: 'object',
      properties: { problems: { type: 'array', items: PAGE_SCHEMA } },
    }),
  })
  list(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    const pages = CODES.map((code) => this.#page(code));
    return answer(request, reply, { problems: pages }, 'Problems', pages.map(htmlOf).join('\n'));
  }

  @Get(':code')
  @Public({ shared: true })
  @ApiOperation({ summary: 'What one code means' })
  @ApiParam({ name: 'code', schema: { type: 'string', enum: CODES } })
  @ApiResponse({
    status: 200,
    description: 'The documentation of the code.',
    content: inBothForms(PAGE_SCHEMA),
  })
  @Problems('not-found')
  one(
    @Param('code') code: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): unknown {
    if (!Object.hasOwn(REJECTIONS, code)) throw new RejectionException({ code: 'not-found' });
    const page = this.#page(code as RejectionCode);
    const html = `${htmlOf(page)}\n<p><a href="/problems">Every problem</a></p>`;
    return answer(request, reply, page, page.title, html);
  }

  #page(code: RejectionCode): ProblemPage {
    return {
      type: `${this.config.publicBaseUrl}/problems/${code}`,
      code,
      status: REJECTION_STATUS[code].status,
      title: REJECTION_STATUS[code].title,
      meaning: WORDS[code],
      retriable: retryAfterSeconds(code) !== undefined,
    };
  }
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  document: object,
  title: string,
  html: string,
): unknown {
  reply.headers({ 'cache-control': 'public, max-age=3600', vary: 'accept' });
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return document;
  reply.type('text/html; charset=utf-8');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}</title>
<h1>${escape(title)}</h1>
${html}
</html>`;
}

function htmlOf({ code, status, title, meaning, retriable }: ProblemPage): string {
  return `<section id="${code}"><h2><a href="/problems/${code}">${code}</a></h2>
<p>HTTP ${String(status)}, ${escape(title)}. ${codeIn(escape(meaning))}${retriable ? ' The same request may succeed later.' : ''}</p></section>`;
}

/** The catalogue writes names of members between backticks. */
function codeIn(html: string): string {
  return html.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
