import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../../src/agents/domain/agent.js';
import {
  agentsBehind,
  disclosureTo,
  isDisclosed,
  mayDisclose,
  type Disclosure,
} from '../../../../src/audit/replay/domain/disclosure.js';
import type { StreamSubject } from '../../../../src/audit/replay/domain/stream-subject.js';
import { INVOCATION_EVENT_TYPES } from '../../../../src/invocations/event-types.js';
import { SCOPES, type Caller, type Scope } from '../../../../src/kernel/caller.js';
import type { AgentId, InteractionId } from '../../../../src/kernel/ids.js';

const id = (name: string): AgentId => name as AgentId;

/** Two agents of tenant A, one of B; the log knows no other. */
const AGENTS = new Map(
  [
    ['a1', 'A', 'alice', 'client-a1'],
    ['a2', 'A', 'alan', 'client-a2'],
    ['b1', 'B', 'bob', 'client-b1'],
  ].map(([agentId = '', tenant, owner, client]) => [
    id(agentId),
    { agentId, tenant, owner, clients: [client] } as unknown as Agent,
  ]),
);

function caller(tenant: string, scopes: readonly Scope[], more: Partial<Caller> = {}): Caller {
  const none = { principal: 'nobody', client: null, agent: null };
  return { ...none, tenant, scopes: new Set(scopes), allScopes: new Set(scopes), ...more };
}

const callBy = (agent: string | null, tenant: string): StreamSubject => ({
  kind: 'invocation',
  agentId: id('a1'),
  caller: { agent: agent === null ? null : id(agent), tenant },
  contract: null,
});

const between = (...parties: readonly string[]): StreamSubject => ({
  kind: 'interaction',
  interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' as InteractionId,
  parties: parties.map(id),
});

const SUBJECTS = {
  keys: { kind: 'platform-keys' },
  'agent a1': { kind: 'agent', agentId: id('a1') },
  'agent b1': { kind: 'agent', agentId: id('b1') },
  'agent unregistered': { kind: 'agent', agentId: id('x') },
  'a1 with b1': between('a1', 'b1'),
  'a1 with a2': between('a1', 'a2'),
  'b1 with unregistered': between('b1', 'x'),
  'call of a1 by b1': callBy('b1', 'B'),
  'call of a1 by somebody of C': callBy(null, 'C'),
  'call of a1 by nobody': {
    kind: 'invocation',
    agentId: id('a1'),
    caller: null,
    contract: null,
  },
  unknown: { kind: 'unknown' },
} satisfies Readonly<Record<string, StreamSubject>>;

/** A stream of each kind. */
const STREAMS: Readonly<Record<StreamSubject['kind'], string>> = {
  'platform-keys': 'platform-keys',
  agent: 'agent-a1',
  interaction: 'interaction-7c9e6679-7425-40de-944b-e07fc1f90ae7',
  invocation: 'invocation-7c9e6679-7425-40de-944b-e07fc1f90ae7',
  unknown: 'interaction-other',
};

type Subject = keyof typeof SUBJECTS;

const CALLERS = {
  'audit:read-all of C': caller('C', ['audit:read-all']),
  'audit:read of A': caller('A', ['audit:read']),
  'audit:read of B': caller('B', ['audit:read']),
  'audit:read of C': caller('C', ['audit:read']),
  'audit:read of A, bound to b1': caller('A', ['audit:read'], { agent: id('b1') }),
  'owner of a1': caller('A', [], { principal: 'alice' }),
  'owner of a1, in tenant B': caller('B', [], { principal: 'alice' }),
  'client of b1': caller('B', [], { client: 'client-b1' }),
  'bound to a2': caller('A', [], { agent: id('a2') }),
  'somebody of A': caller('A', []),
  'every other scope of A': caller(
    'A',
    SCOPES.filter((scope) => !scope.startsWith('audit:')),
  ),
} satisfies Readonly<Record<string, Caller>>;

type Row = Partial<Readonly<Record<Subject, Exclude<Disclosure, 'nothing'>>>>;

const OF_A: Row = {
  keys: 'everything',
  'agent a1': 'everything',
  'a1 with b1': 'everything',
  'a1 with a2': 'everything',
  'call of a1 by b1': 'everything',
  'call of a1 by somebody of C': 'everything',
  'call of a1 by nobody': 'everything',
};

/** What is not named is not there. */
const MATRIX: Readonly<Record<keyof typeof CALLERS, Row>> = {
  'audit:read-all of C': Object.fromEntries(
    Object.keys(SUBJECTS).map((subject) => [subject, 'everything']),
  ),
  'audit:read of A': OF_A,
  'audit:read of B': {
    keys: 'everything',
    'agent b1': 'everything',
    'a1 with b1': 'everything',
    'b1 with unregistered': 'everything',
    'call of a1 by b1': 'as-caller',
  },
  'audit:read of C': { keys: 'everything', 'call of a1 by somebody of C': 'as-caller' },
  'audit:read of A, bound to b1': OF_A,
  'owner of a1': { 'a1 with b1': 'everything', 'a1 with a2': 'everything' },
  'owner of a1, in tenant B': {},
  'client of b1': { 'a1 with b1': 'everything', 'b1 with unregistered': 'everything' },
  'bound to a2': { 'a1 with a2': 'everything' },
  'somebody of A': {},
  'every other scope of A': {},
};

describe.each(Object.entries(MATRIX))('%s', (who, row) => {
  it.each(Object.entries<StreamSubject>(SUBJECTS))('%s', (what, subject) => {
    const reader = CALLERS[who as keyof typeof CALLERS];
    const asked = agentsBehind(reader, subject);
    const agents = new Map([...AGENTS].filter(([agentId]) => asked.includes(agentId)));
    const disclosure = disclosureTo(reader, subject, agents);
    expect(disclosure).toBe(row[what as Subject] ?? 'nothing');
    // What is skipped unseen is what would not be told.
    if (!mayDisclose(reader, STREAMS[subject.kind])) expect(disclosure).toBe('nothing');
  });
});

it.each<readonly [Disclosure, readonly string[]]>([
  ['nothing', []],
  ['as-caller', ['invocation-admitted', 'invocation-ended', 'invocation-refused']],
  ['everything', Object.keys(INVOCATION_EVENT_TYPES)],
])('of the events of a call “%s” discloses %j', (disclosure, types) => {
  const disclosed = Object.keys(INVOCATION_EVENT_TYPES).filter((type) =>
    isDisclosed(disclosure, type),
  );
  expect(disclosed.sort()).toEqual([...types].sort());
});

it('an agent that nobody knows any more hides, and opens nothing', () => {
  const subject = SUBJECTS['a1 with b1'];
  expect(disclosureTo(CALLERS['audit:read of A'], subject, new Map())).toBe('nothing');
});

it('streams that a reader without a scope never sees are not looked into', () => {
  const seen = (reader: Caller) =>
    Object.values(STREAMS).filter((stream) => mayDisclose(reader, stream));
  expect(seen(CALLERS['owner of a1'])).toEqual([STREAMS.interaction, STREAMS.unknown]);
  expect(seen(CALLERS['audit:read of A'])).toEqual(Object.values(STREAMS));
});
