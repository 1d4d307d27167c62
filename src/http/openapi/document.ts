import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { REJECTIONS, type RejectionCode } from '../../kernel/rejection.js';
import { ACCESS_EXTENSION, honoursPositionToken, isRead, type RouteAccess } from '../access.js';
import { NOT_MODIFIED } from './not-modified.js';
import {
  BODY_PROBLEMS,
  byStatus,
  COMMON_PROBLEMS,
  HTTP_PROBLEMS,
  problemResponse,
} from './problems.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** The OpenAPI 3.1 description of every route that a controller serves. */
export function openApiDocument(app: INestApplication, publicBaseUrl: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Countersign')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addServer(publicBaseUrl)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, 'bearer')
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    operationIdFactory: (controller, method) =>
      `${controller.replace(/Controller$/, '')}_${method}`,
  });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM_SCHEMA },
  };
  for (const path of Object.values(document.paths)) completePath(path);
  return document;
}

const DESCRIPTION = `Agents negotiate, sign and complete federated interaction contracts.

Every refusal is an RFC 9457 problem document with a stable \`code\`, documented at its \`type\`.
Every write answers with a \`Position-Token\`; a read that is given one waits until it shows that write.
Request bodies are JSON with one meaning: duplicate member names, lone surrogates and inexact numbers are refused.`;

function completePath(path: PathItem): void {
  for (const method of METHODS) {
    const operation = path[method];
    if (operation !== undefined) completeOperation(operation, method);
  }
}

function completeOperation(operation: Operation, method: (typeof METHODS)[number]): void {
  const extended = operation as Operation & { [ACCESS_EXTENSION]?: RouteAccess };
  const access = extended[ACCESS_EXTENSION] ?? {};
  Reflect.deleteProperty(extended, ACCESS_EXTENSION);
  const isPublic = access.public === true;
  const waits = honoursPositionToken(method.toUpperCase(), access);
  const isRepeatable = !isPublic && !isRead(method.toUpperCase());
  if (access.shared === true) operation.responses['304'] = NOT_MODIFIED;
  operation.security = isPublic ? [] : [{ bearer: [...(access.anyScope ?? [])] }];
  operation.parameters = [
    ...(operation.parameters ?? []),
    header('X-Correlation-Id', 'A UUID; answered again, and logged with every fault.'),
    ...(waits ? [POSITION_TOKEN] : []),
    ...(isRepeatable ? [IDEMPOTENCY_KEY] : []),
  ];
  addProblems(operation, [
    ...(isPublic ? PUBLIC_PROBLEMS : COMMON_PROBLEMS),
    ...(isRead(method.toUpperCase()) ? [] : BODY_PROBLEMS),
    ...(waits ? POSITION_TOKEN_PROBLEMS : []),
    ...(isRepeatable ? (['idempotency-key-invalid'] as const) : []),
  ]);
}

const PUBLIC_PROBLEMS: readonly RejectionCode[] = [
  ...HTTP_PROBLEMS,
  'internal-error',
  'store-unavailable',
  'shutting-down',
  'too-many-streams',
];

const POSITION_TOKEN_PROBLEMS = [
  'position-invalid',
  'projection-behind',
] as const satisfies readonly RejectionCode[];

const POSITION_TOKEN = header(
  'Position-Token',
  'As a write answered it; the read waits, bounded, until it shows that write.',
);

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'The same key with the same request answers the first result again.',
);

function header(
  name: string,
  description: string,
): {
  name: string;
  in: 'header';
  required: false;
  description: string;
  schema: { type: 'string' };
} {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

/** Adds codes to what the operation documents already, status by status. */
function addProblems(operation: Operation, codes: readonly RejectionCode[]): void {
  for (const [status, ofStatus] of byStatus(codes)) {
    const documented = operation.responses[String(status)];
    const known = documented !== undefined && 'description' in documented ? documented : undefined;
    const added = problemResponse(ofStatus.filter((code) => !tellsOf(known?.description, code)));
    const texts = [known?.description ?? '', added.description].filter((text) => text !== '');
    operation.responses[String(status)] = {
      ...known,
      description: texts.join('\n\n'),
      content: { ...known?.content, ...added.content },
    };
  }
}

/** An operation may name what any may answer, too. */
function tellsOf(description: string | undefined, code: RejectionCode): boolean {
  return description?.includes(`\`${code}\`:`) ?? false;
}

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'correlationId'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Leads to the documentation of the code.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', format: 'uri-reference' },
    code: { type: 'string', enum: Object.keys(REJECTIONS) },
    correlationId: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      description: 'Every fault of the request, each with its JSON Pointer (RFC 6901).',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
    head: {
      type: 'object',
      description: 'Where the interaction stands now.',
      required: ['revision', 'status', 'termsHash'],
      properties: {
        revision: { type: 'integer', minimum: 1 },
        status: { type: 'string', enum: ['proposed', 'accepted', 'rejected', 'superseded'] },
        termsHash: { type: 'string', minLength: 43, maxLength: 43 },
      },
    },
    remains: {
      type: 'object',
      description: 'Of an erased document: identifiers, hashes, signatures and times.',
    },
  },
} satisfies NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
