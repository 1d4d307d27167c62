import { describe, expect, it } from '@jest/globals';
import {
  concerns,
  subjectOfFirst,
  subjectOfName,
  type StreamSubject,
} from '../../../../src/audit/replay/domain/stream-subject.js';
import type { AgentId, InteractionId } from '../../../../src/kernel/ids.js';

const alpha = 'did:web:alpha.example' as AgentId;
const beta = 'agent-beta' as AgentId;
const interactionId = '7c9e6679-7425-40de-944b-e07fc1f90ae7' as InteractionId;

const OF_ALPHA: StreamSubject = { kind: 'agent', agentId: alpha };

describe('what a name tells', () => {
  it.each<readonly [string, StreamSubject | undefined]>([
    ['platform-keys', { kind: 'platform-keys' }],
    ['agent-did:web:alpha.example', OF_ALPHA],
    ['card-did:web:alpha.example', OF_ALPHA],
    ['capability-did:web:alpha.example/translate', OF_ALPHA],
    ['agent-agent-beta', { kind: 'agent', agentId: beta }],
    ['agent-card-x', { kind: 'agent', agentId: 'card-x' as AgentId }],
    ['interaction-7c9e6679-7425-40de-944b-e07fc1f90ae7', undefined],
    ['invocation-7c9e6679-7425-40de-944b-e07fc1f90ae7', undefined],
    ['agent-', { kind: 'unknown' }],
    ['agent-a/b', { kind: 'unknown' }],
    ['capability-a', { kind: 'unknown' }],
    ['capability-a/b/c', { kind: 'unknown' }],
    ['card-a b', { kind: 'unknown' }],
    ['platform-keys-x', { kind: 'unknown' }],
    ['process-expiry', { kind: 'unknown' }],
    ['log', { kind: 'unknown' }],
  ])('%s', (stream, subject) => {
    expect(subjectOfName(stream)).toEqual(subject);
  });
});

describe('what a first event tells', () => {
  const caller = { principal: 'p', client: null, agent: beta, tenant: 'of-beta' };

  it('the parties of an interaction', () => {
    const data = { interactionId, parties: [alpha, beta], termsHash: 'h' };
    expect(subjectOfFirst({ type: 'interaction-proposed', data })).toEqual({
      kind: 'interaction',
      interactionId,
      parties: [alpha, beta],
    });
  });

  it.each<readonly [string, InteractionId | null]>([
    ['invocation-admitted', null],
    ['invocation-refused', null],
    ['approval-requested', interactionId],
  ])('who is called, by whom, and whose texts are repeated: %s', (type, contract) => {
    const data = { agentId: alpha, caller, terms: { interactionId } };
    expect(subjectOfFirst({ type, data })).toEqual({
      kind: 'invocation',
      agentId: alpha,
      caller: { agent: beta, tenant: 'of-beta' },
      contract,
    });
  });

  it('that nobody is known who called', () => {
    const data = { agentId: alpha, caller: null };
    expect(subjectOfFirst({ type: 'invocation-admitted', data })).toEqual({
      kind: 'invocation',
      agentId: alpha,
      caller: null,
      contract: null,
    });
  });

  it.each(['invocation-ended', 'approval-given', 'interaction-imported'])(
    'nothing, of a type that begins no stream: %s',
    (type) => {
      expect(subjectOfFirst({ type, data: { parties: [alpha], agentId: alpha } })).toEqual({
        kind: 'unknown',
      });
    },
  );
});

describe('the filter by agent', () => {
  const call = {
    kind: 'invocation',
    agentId: alpha,
    caller: { agent: beta, tenant: 't' },
    contract: null,
  } as const;
  const negotiation = { kind: 'interaction', interactionId, parties: [alpha, beta] } as const;

  it.each<readonly [string, StreamSubject, readonly AgentId[]]>([
    ['its own streams', OF_ALPHA, [alpha]],
    ['interactions by party', negotiation, [alpha, beta]],
    ['calls of it and by it', call, [alpha, beta]],
    ['calls by nobody', { ...call, caller: null }, [alpha]],
    ['platform keys', { kind: 'platform-keys' }, []],
    ['what is not known', { kind: 'unknown' }, []],
  ])('%s', (_, subject, concerned) => {
    const other = 'agent-gamma' as AgentId;
    expect([alpha, beta, other].filter((agent) => concerns(subject, agent))).toEqual(concerned);
  });
});
