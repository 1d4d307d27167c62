import { describe, expect, it } from '@jest/globals';
import { approvalStateAt, type ApprovalState } from '../../../src/invocations/domain/approval.js';
import { isToApprove } from '../../../src/invocations/domain/approving.js';
import type { InvocationCommand } from '../../../src/invocations/domain/decider.js';
import { evolveInvocation, isInvocation } from '../../../src/invocations/domain/invocation.js';
import { ERASED } from '../../../src/kernel/event.js';
import type { CallersAgent } from '../../../src/invocations/domain/approving.js';
import type { AgentId, TermsHash, Uuid } from '../../../src/kernel/ids.js';
import {
  admit,
  after,
  APPROVER,
  CALLER,
  CALLERS_AGENT,
  DEADLINE,
  decide,
  end,
  EXPIRY,
  given,
  giveUp,
  refuse,
  request,
  type Outcome,
  type Scene,
} from '../support/given-when-then.js';

const approve = decide('approve');
const deny = decide('deny');

/** Every state of a call, by how it got there. */
const SCENES = {
  nothing: given(),
  waiting: given(request()),
  approved: given(request(), approve),
  denied: given(request(), deny),
  'ended while waiting': given(request(), end('canceled')),
  'ended though approved': given(request(), approve, end('voided')),
  'admitted at once': given(admit()),
  'admitted by approval': given(request(), approve, admit()),
  ended: given(admit(), end('succeeded')),
  refused: given(refuse()),
} as const satisfies Record<string, Scene>;

type SceneName = keyof typeof SCENES;

const TAKEN = 'contention';
const NO_APPROVAL = 'approval-not-found';
const DECIDED = 'approval-decided';
const VOID = 'approval-void';
const WITHOUT = 'approval-required';
const UNKNOWN = 'invocation-not-found';
const ENDED = ['invocation-ended'] as const;
const ADMITTED = ['invocation-admitted'] as const;
const NOTHING = [] as const;

const TABLE: Record<SceneName, Record<string, Outcome>> = {
  nothing: {
    request: ['approval-requested'],
    refuse: ['invocation-refused'],
    approve: NO_APPROVAL,
    deny: NO_APPROVAL,
    admit: ADMITTED,
    end: UNKNOWN,
  },
  waiting: {
    request: TAKEN,
    refuse: TAKEN,
    approve: ['approval-given'],
    deny: ['approval-denied'],
    admit: WITHOUT,
    end: ENDED,
  },
  approved: {
    request: TAKEN,
    refuse: TAKEN,
    approve: NOTHING,
    deny: DECIDED,
    admit: ADMITTED,
    end: ENDED,
  },
  denied: {
    request: TAKEN,
    refuse: TAKEN,
    approve: DECIDED,
    deny: NOTHING,
    admit: WITHOUT,
    end: ENDED,
  },
  'ended while waiting': {
    request: TAKEN,
    refuse: TAKEN,
    approve: VOID,
    deny: VOID,
    admit: TAKEN,
    end: NOTHING,
  },
  'ended though approved': {
    request: TAKEN,
    refuse: TAKEN,
    approve: NOTHING,
    deny: DECIDED,
    admit: TAKEN,
    end: NOTHING,
  },
  'admitted at once': {
    request: TAKEN,
    refuse: TAKEN,
    approve: NO_APPROVAL,
    deny: NO_APPROVAL,
    admit: TAKEN,
    end: ENDED,
  },
  'admitted by approval': {
    request: TAKEN,
    refuse: TAKEN,
    approve: NOTHING,
    deny: DECIDED,
    admit: TAKEN,
    end: ENDED,
  },
  ended: {
    request: TAKEN,
    refuse: TAKEN,
    approve: NO_APPROVAL,
    deny: NO_APPROVAL,
    admit: TAKEN,
    end: NOTHING,
  },
  refused: {
    request: TAKEN,
    refuse: TAKEN,
    approve: NO_APPROVAL,
    deny: NO_APPROVAL,
    admit: TAKEN,
    end: UNKNOWN,
  },
};

const COMMANDS: Record<string, InvocationCommand> = {
  request: request(),
  refuse: refuse(),
  approve,
  deny,
  admit: admit(),
  end: end('failed'),
};

describe('every command in every state', () => {
  const rows = Object.entries(TABLE).flatMap(([scene, outcomes]) =>
    Object.entries(outcomes).map(([command, outcome]) => [scene, command, outcome] as const),
  );

  it.each(rows)('%s: %s', (scene, command, outcome) => {
    expect(SCENES[scene as SceneName].when(COMMANDS[command]!)).toEqual(outcome);
  });
});

describe('whoever decides', () => {
  // A token may act by its `agent` claim, whatever its client.
  const CALLER_CLIENT = 'unregistered-client';
  const decidedBy = (
    changes: Partial<typeof APPROVER>,
    callersAgents: readonly CallersAgent[] = [CALLERS_AGENT],
  ): Outcome =>
    given(request({ caller: { ...CALLER, client: CALLER_CLIENT } })).when(
      decide('deny', { by: { ...APPROVER, ...changes } }),
      { deciding: { callersAgents, areTermsInForce: true } },
    );

  it.each<[string, Partial<typeof APPROVER>]>([
    ['the principal that called', { principal: CALLER.principal }],
    ['that principal in the hosted agent’s tenant', { ...CALLER, agent: null, client: null }],
    ['the owner of the calling agent', { principal: CALLERS_AGENT.owner }],
    ['an OAuth client of the calling agent', { client: 'partner-client' }],
    ['the OAuth client that called, registered or not', { client: CALLER_CLIENT }],
    ['a token that speaks for the calling agent', { agent: CALLER.agent }],
    ['an OAuth client of the agent that speaks for itself', { principal: 'partner-client' }],
    ['the OAuth client that called, speaking for itself', { principal: CALLER_CLIENT }],
    ['a client whose name is the principal that called', { client: CALLER.principal }],
    ['a client whose name is the owner of the agent', { client: CALLERS_AGENT.owner }],
    ['a principal whose name is the calling agent’s id', { principal: CALLER.agent! }],
    ['a client whose name is the calling agent’s id', { client: CALLER.agent }],
  ])('is not %s', (_, changes) => {
    expect(decidedBy(changes)).toBe('approver-involved');
  });

  it('is nobody as long as the calling agent is not known', () => {
    expect(decidedBy({}, [])).toBe('approver-involved');
  });

  it('is nobody who left the agent since it called, or joined it', () => {
    const other: CallersAgent = { owner: 'other-owner', clients: ['other-client'] };
    for (const agents of [
      [other, CALLERS_AGENT],
      [CALLERS_AGENT, other],
    ]) {
      expect(decidedBy({ principal: other.owner }, agents)).toBe('approver-involved');
      expect(decidedBy({ client: 'other-client' }, agents)).toBe('approver-involved');
      expect(decidedBy({ client: 'partner-client' }, agents)).toBe('approver-involved');
      expect(decidedBy({}, agents)).toEqual(['approval-denied']);
    }
  });

  it('decides under terms that govern, and hears what was decided whatever governs', () => {
    const over = { deciding: { callersAgents: [CALLERS_AGENT], areTermsInForce: false } };
    for (const decision of [approve, deny]) {
      expect(given(request()).when(decision, over)).toBe('approval-void');
      expect(given(request(), decision).when(decision, over)).toEqual([]);
    }
    const expired = { ...over, now: EXPIRY };
    expect(given(request()).when(approve, expired)).toBe('approval-expired');
  });

  it('may be a token of the hosted agent, or one without a client', () => {
    expect(decidedBy({ agent: 'finance-agent' as AgentId })).toEqual(['approval-denied']);
    expect(decidedBy({ client: null })).toEqual(['approval-denied']);
  });

  it('names the terms and the arguments that the call has', () => {
    const otherTerms = decide('approve', { termsHash: 'other' as TermsHash });
    const otherArguments = decide('approve', { argumentsDigest: 'other' });
    for (const scene of [given(request()), given(request(), approve)]) {
      expect(scene.when(otherTerms)).toBe('approval-mismatch');
      expect(scene.when(otherArguments)).toBe('approval-mismatch');
    }
  });

  it('decides before the expiry', () => {
    const scene = given(request());
    expect(scene.when(approve, { now: after(59.999) })).toEqual(['approval-given']);
    expect(scene.when(approve, { now: EXPIRY })).toBe('approval-expired');
    expect(scene.when(deny, { now: EXPIRY })).toBe('approval-expired');
  });

  it('may give a reason, which is sealed', () => {
    const reason = 'It was paid already.';
    const [event] = given(request()).events(decide('deny', { reason }));
    expect(event).toMatchObject({ type: 'approval-denied', texts: { reason } });
    expect(JSON.stringify(event!.data)).not.toContain(reason);
  });
});

describe('an approval', () => {
  const scene = given(request(), [approve, { now: after(1) }]);

  it('stands in the admission that uses it up, with who gave it and when', () => {
    const [event] = scene.events(admit(), { now: after(2) });
    expect(event!.data).toMatchObject({ approval: { by: APPROVER, at: after(1) } });
  });

  it('is of no use once it has expired', () => {
    expect(scene.when(admit(), { now: after(59.999) })).toEqual(ADMITTED);
    expect(scene.when(admit(), { now: EXPIRY })).toBe(WITHOUT);
  });

  const other = 'e0a5c1de-7aa1-4bb8-8f0e-0f1f1f1f1f1f' as Uuid;
  const { terms } = (admit() as Extract<InvocationCommand, { kind: 'admit' }>).invocation;
  it.each<[string, Parameters<typeof admit>[0]]>([
    ['other terms', { terms: { ...terms!, termsHash: 'other' as TermsHash } }],
    ['another revision', { terms: { ...terms!, revision: 3 } }],
    ['no terms', { terms: null, rule: 'entitlement' }],
    ['another action', { action: 'transfer' }],
    ['no action', { action: null }],
    ['more data', { data: ['invoices', 'accounts', 'salaries'] }],
    ['less data', { data: ['invoices'] }],
    ['other arguments', { argumentsDigest: 'other' }],
    ['another caller', { caller: { ...CALLER, principal: 'another' } }],
    ['another agent of the caller', { caller: { ...CALLER, agent: 'another' as AgentId } }],
    ['a caller without a token', { caller: null }],
  ])('is not for %s', (_, changes) => {
    expect(scene.when(admit(changes))).toBe(WITHOUT);
  });

  it('is for its own task: one that has the same key is told that the call is taken', () => {
    for (const each of [given(request()), scene]) {
      expect(each.when(admit({ taskId: other }))).toBe(TAKEN);
    }
  });

  it('is for the same data in another order, and for another handler', () => {
    expect(scene.when(admit({ data: ['accounts', 'invoices'] }))).toEqual(ADMITTED);
    expect(scene.when(admit({ handler: 'pay.v2' }))).toEqual(ADMITTED);
  });
});

describe('that the outcome is unknown', () => {
  const unknown = end('outcome-unknown');

  it('is said by whoever ran the call, at any time', () => {
    expect(given(admit()).when(unknown, { now: after(1) })).toEqual(ENDED);
  });

  it('is said by anybody else only after the deadline of its admission', () => {
    expect(given(admit()).when(giveUp, { now: DEADLINE })).toBe('invocation-not-overdue');
    const [event] = given(admit()).events(giveUp, { now: after(120.001) });
    expect(event?.data).toMatchObject({ outcome: 'outcome-unknown', resultDigest: null });
  });

  it('is never said of what was not admitted, nor of what has ended', () => {
    const late = { now: after(1e6) };
    expect(given(request(), approve).when(unknown, late)).toBe('invocation-not-found');
    expect(given(request(), approve).when(giveUp, late)).toBe('invocation-not-overdue');
    expect(given().when(giveUp, late)).toBe('invocation-not-found');
    expect(given(admit(), end('failed')).when(giveUp, late)).toEqual([]);
    expect(given(admit(), unknown).when(end('succeeded'), late)).toEqual([]);
  });
});

describe('how an approval stands', () => {
  const EARLY = { now: after(10) };
  const LATE = { now: after(70) };
  it.each<[string, Scene, ApprovalState, ApprovalState]>([
    ['waiting', given(request()), 'pending', 'expired'],
    ['approved', given(request(), approve), 'approved', 'expired'],
    ['denied', given(request(), deny), 'denied', 'denied'],
    ['denied and ended', given(request(), deny, [end('rejected'), EARLY]), 'denied', 'denied'],
    ['used', given(request(), approve, admit()), 'approved', 'approved'],
    ['used and ended', given(request(), approve, admit(), end('failed')), 'approved', 'approved'],
    ['canceled', given(request(), [end('canceled'), EARLY]), 'void', 'void'],
    ['superseded', given(request(), approve, [end('voided'), EARLY]), 'void', 'void'],
    ['ended after its expiry', given(request(), [end('rejected'), LATE]), 'pending', 'expired'],
  ])('%s', (_, { state }, early, late) => {
    if (!isInvocation(state) || !isToApprove(state)) throw new Error('no approval');
    expect(approvalStateAt(state, after(59))).toBe(early);
    expect(approvalStateAt(state, EXPIRY)).toBe(late);
  });
});

describe('a log', () => {
  it('keeps what counts when its texts are erased', () => {
    const erased = [request(), decide('approve', { reason: 'Fine.' })].reduce<
      Parameters<typeof evolveInvocation>[0]
    >((state, command, revision) => {
      const [event] = given(...(revision === 0 ? [] : [request()])).events(command);
      const recorded = { ...event!, texts: ERASED, recordedAt: after(revision), revision };
      return evolveInvocation(state, recorded as Parameters<typeof evolveInvocation>[1]);
    }, null);
    expect(erased).toMatchObject({
      approval: { entries: ERASED, decision: { verdict: 'approved', reason: ERASED } },
    });
  });

  it('that begins with an end or a decision is none', () => {
    for (const [before, command] of [
      [given(admit()), end('failed')],
      [given(request()), approve],
    ] as const) {
      const [event] = before.events(command);
      const recorded = { ...event!, recordedAt: after(0), revision: 0 };
      expect(() =>
        evolveInvocation(null, recorded as Parameters<typeof evolveInvocation>[1]),
      ).toThrow('neither asked for nor admitted');
    }
  });
});
