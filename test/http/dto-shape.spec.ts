import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { RegisterAgentBody } from '../../src/agents/dto/register-agent-body.js';
import { DtoPipe } from '../../src/http/dto-pipe.js';
import { RejectionException } from '../../src/http/rejection-exception.js';
import { AcceptBody, ProposeBody } from '../../src/interactions/dto/command-bodies.js';

const HASH = 'A'.repeat(43);
const ACCEPTANCE = { keyId: 'alpha-1', value: 'x', acceptedAt: '2030-01-02T03:04:05Z' };

/** Bodies without a fault: [class, body]. */
const GOOD: readonly (readonly [Type<object>, Readonly<Record<string, unknown>>])[] = [
  [
    AcceptBody,
    {
      agentId: 'alpha',
      head: { revision: 1, status: 'proposed', termsHash: HASH },
      acceptance: ACCEPTANCE,
    },
  ],
  [
    ProposeBody,
    {
      interactionId: 'any',
      agentId: 'alpha',
      responderAgentId: 'beta',
      contract: {},
      termsHash: HASH,
      expiresAt: '2030-01-31T03:04:05.123Z',
      acceptance: ACCEPTANCE,
    },
  ],
  [
    RegisterAgentBody,
    {
      agentId: 'alpha',
      clients: ['one', 'two'],
      methods: ['ed25519', 'oauth_account'],
      transport: {
        protocol: 'A2A/1.0',
        protocolBinding: 'JSONRPC',
        endpoint: 'https://alpha.example/a2a',
      },
    },
  ],
];

const pipe = new DtoPipe();

/** The instance that passes, or undefined. */
function passed(dto: Type<object>, body: unknown): object | undefined {
  try {
    return pipe.transform(body, { type: 'body', metatype: dto }) as object;
  } catch (error) {
    if (error instanceof RejectionException) return undefined;
    throw error;
  }
}

describe('a request body', () => {
  it.each(GOOD)('of %p without a fault passes as it came', (dto, body) => {
    expect({ ...passed(dto, body) }).toEqual(body);
  });

  it('law: passes only where class-validator itself finds no fault', () => {
    const odd = fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      'x',
      0,
      1.5,
      true,
      [],
      [null],
      ['x'],
      {},
      HASH,
      [{ keyId: 'x' }],
    );
    const place = fc.tuple(fc.constantFrom(...GOOD), fc.nat(), fc.nat());
    let passes = 0;
    fc.assert(
      fc.property(place, odd, fc.boolean(), ([[dto, body], outer, inner], value, isDeep) => {
        const name = at(Object.keys(body), outer);
        const member = body[name];
        const isNested = isDeep && typeof member === 'object' && member !== null;
        const changed = isNested ? withMember(member, inner, value) : value;
        const instance = passed(dto, JSON.parse(JSON.stringify({ ...body, [name]: changed })));
        if (instance === undefined) return;
        passes += 1;
        expect(validateSync(instance, { forbidUnknownValues: false })).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(passes).toBeGreaterThan(50);
  });
});

function withMember(object: object, index: number, value: unknown): object {
  const names = Object.keys(object);
  if (names.length === 0 || Array.isArray(object)) return [value];
  return { ...object, [at(names, index)]: value };
}

function at(names: readonly string[], index: number): string {
  const name = names[index % names.length];
  if (name === undefined) throw new Error('no members');
  return name;
}
