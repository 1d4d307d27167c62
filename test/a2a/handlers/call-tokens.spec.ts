import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify, type JWTPayload } from 'jose';
import type { CapabilityCall, HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import type { Task } from '../../../src/a2a/wire/types.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { CallTokens } from '../../../src/invocations/commands/call-tokens.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { ISSUER, TokenKeys } from '../../invocations/backends/support/token-keys.js';
import { eventually } from '../../support/eventually.js';
import { Messaging, saying, type Handle } from '../support/messaging.js';

const ERP = 'https://erp.example';

let keys: TokenKeys;
let messaging: Messaging;

beforeAll(async () => {
  keys = await TokenKeys.open('backend-token');
});

afterAll(() => keys.dispose());

afterEach(async () => {
  await messaging.close();
});

/** Gives the token with which it would ask the ERP. */
async function* asking({ token }: CapabilityCall): AsyncGenerator<HandlerEvent, undefined> {
  const parts = [{ text: await token(ERP) }];
  yield { kind: 'artifact', artifact: { artifactId: 'token', parts } };
}

async function open(
  asked: Capability,
  tokens: CallTokens = keys.tokens(),
  handler: Handle = asking,
  executionTimeoutMs = 60_000,
): Promise<void> {
  const handlers = { [asked.manifest.handler]: handler };
  const capabilities = [asked];
  messaging = await Messaging.open({ capabilities, handlers, tokens, executionTimeoutMs });
}

async function claimsIn({ artifacts }: Task): Promise<JWTPayload> {
  const token = artifacts?.[0]?.parts[0]?.text ?? '';
  const options = { issuer: ISSUER, audience: ERP, typ: 'backend+jwt' };
  return (await jwtVerify(token, createLocalJWKSet(await keys.jwks()), options)).payload;
}

describe('a handler may ask for a token', () => {
  it('that has of the caller’s rights what the capability requires, and none of its own', async () => {
    const changes = { visibility: 'extended', requiresScopes: ['recon.run'] } as const;
    await open(capability('reconcile', changes));
    const caller = partner({ scopes: ['payments.approve', 'recon.run'] });
    const claims = await claimsIn(await messaging.taskOf(saying('hello'), caller));
    const { invocationId } = messaging.ledger.admissions[0]!;
    expect(claims).toMatchObject({
      sub: 'client|partner',
      tenant: 'partner',
      scope: 'recon.run',
      act: { sub: 'finance-agent' },
      invocation_id: invocationId,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(60);
    expect(claims).not.toHaveProperty('interaction_id');
  });

  it('that names the contract under which it runs', async () => {
    await open(capability('reconcile', { requiresContract: true, action: 'reconcile' }));
    messaging.authorizer.agree({ name: 'a', terms: { allowedActions: ['reconcile'] } });
    const claims = await claimsIn(await messaging.taskOf(saying('hello')));
    const { interactionId, termsHash } = messaging.ledger.admissions[0]!.terms!;
    expect(claims).toMatchObject({ interaction_id: interactionId, terms_hash: termsHash });
  });

  it('that names nobody where nobody is known', async () => {
    await open(capability('lookup'));
    const claims = await claimsIn(await messaging.taskOf(saying('hello'), null));
    expect(claims).toMatchObject({ scope: '', act: { sub: 'finance-agent' } });
    for (const claim of ['sub', 'tenant', 'client_id']) expect(claims).not.toHaveProperty(claim);
  });

  it('as long as the call is not over: when its handler has ended', async () => {
    const tokens: CapabilityCall['token'][] = [];
    await open(capability('lookup'), keys.tokens(), async function* (call) {
      tokens.push(call.token);
      yield* asking(call);
    });
    expect((await claimsIn(await messaging.taskOf(saying('hello')))).aud).toBe(ERP);
    await expect(tokens[0]!(ERP)).rejects.toThrow('the call is over');
  });

  it.each<[string, (taskId: string) => unknown, number]>([
    ['when its time is over', () => undefined, 200],
    ['when it is canceled', (taskId) => messaging.cancel(taskId), 60_000],
  ])('as long as the call is not over: %s', async (_, stop, executionTimeoutMs) => {
    let asked: unknown;
    const handler: Handle = async function* ({ token, signal, task }) {
      yield { kind: 'working' };
      const over = once(signal, 'abort');
      await stop(task.id);
      await over;
      // A handler that does not mind its signal.
      asked = await token(ERP).catch(String);
      yield { kind: 'working' };
    };
    await open(capability('lookup'), keys.tokens(), handler, executionTimeoutMs);
    await messaging.taskOf(saying('hello'));
    await eventually(() => asked !== undefined);
    expect(asked).toBe('Error: the call is over');
  });

  it('and fails with a fault that operators can read where no key signs one', async () => {
    const keyless = await TokenKeys.open();
    await open(capability('lookup'), keyless.tokens());
    const task = await messaging.taskOf(saying('hello'));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task)).not.toContain('backend-token');
    expect(messaging.faults.map(String)).toEqual([
      expect.stringContaining('backend-token-key-unavailable: This node holds no platform key'),
    ]);
    await keyless.dispose();
  });
});
