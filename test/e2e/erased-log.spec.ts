import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { countersign, Folder, type Finished } from '../cli/support/countersign.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';
import { TamperingProxy } from './support/tampering-proxy.js';

let service: InProcessService;
let proxy: TamperingProxy;
let folder: Folder;
let alpha: Negotiator;
let beta: Negotiator;
let key: string;
let token: string;
/** By the consent of both, and at the end of a retention of no days. */
let byConsent: FederatedInteraction;
let byRetention: FederatedInteraction;

/** On a loaded machine; each wait ends as soon as it is true. */
const PATIENCE_MS = 30_000;

const AUDITOR = { principal: 'auditor', tenant: 'auditors', scopes: ['audit:read-all'] };

beforeAll(async () => {
  folder = await Folder.make();
  service = await startTestService({ env: { LOG_CHECKPOINT_SECONDS: '1' } });
  proxy = await TamperingProxy.before(service);
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  byConsent = documentOf(await beta.cancel(await agreement(30), 'Because'));
  byRetention = await agreement(0);
  await beta.cancel(byRetention, 'Because');
  await agreement(30);
  await alpha.consentToErasure(byConsent);
  await beta.consentToErasure(byConsent);
  for (const each of [byConsent, byRetention]) {
    const erased = async () => (await alpha.get(`${pathOf(each)}/status`)).body['erasure'] !== null;
    await eventually(erased, PATIENCE_MS);
  }
  token = await service.token(AUDITOR);
  await covered();
  key = String((await service.call('GET', '/v1/log')).body['verifierKey']);
}, 3 * PATIENCE_MS);

afterAll(async () => {
  await proxy.close();
  await service.dispose();
  await folder.remove();
});

async function agreement(retentionDays: number): Promise<FederatedInteraction> {
  const terms = contractOf([alpha, beta], { retentionDays });
  return documentOf(await beta.accept(documentOf(await alpha.propose(terms, beta))));
}

async function exported(): Promise<string> {
  const headers = { accept: 'application/x-ndjson' };
  return (await service.call('GET', '/v1/events', { token, headers })).text;
}

/** Until a checkpoint covers all that was written. */
async function covered(): Promise<void> {
  const { length } = (await exported()).trimEnd().split('\n');
  await eventually(async () => {
    const { text } = await service.call('GET', '/log/checkpoint');
    return Number(text.split('\n')[1]) >= length;
  }, PATIENCE_MS);
}

const audit = (...args: readonly string[]): Promise<Finished> =>
  countersign(['audit', ...args, '--trust', key, '--threads', '2'], '', {
    COUNTERSIGN_TOKEN: token,
  });

/** Of each: the terms, the reason of the cancellation, the digest of the attestation. */
const ERASED = 6;
const COUNTS = `0 failed, 0 not checkable, ${String(ERASED)} erased`;

/** The lines of an output that are not verified, those of `audit` and `verify` alike. */
const doubts = (stdout: string): readonly string[] =>
  stdout
    .split('\n')
    .filter((line) => /^(failed|not checkable|erased|differs) +[a-z-]+ {2}/.test(line));

async function erasureOf({ interactionId }: FederatedInteraction): Promise<string> {
  const lines = (await exported()).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { subject: string; revision: number });
  const own = events.filter(({ subject }) => subject === `interaction-${interactionId}`);
  return `interaction-${interactionId}@${String(own.length - 1)}`;
}

describe('an audit of a log in which texts are erased', () => {
  const expectErased = async ({ exitCode, stdout }: Finished): Promise<void> => {
    expect(exitCode).toBe(3);
    expect(stdout).toContain(COUNTS);
    const told = doubts(stdout);
    expect(told).toHaveLength(2);
    for (const each of [byConsent, byRetention]) {
      const event = await erasureOf(each);
      expect(told).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `^erased +texts +interaction-${each.interactionId} +.*\\(3 checks, ${event}\\)$`,
          ),
        ),
      );
    }
    expect(stdout).toMatch(/\nnot checkable \(only erased texts\)\n$/);
  };

  it('of the service: as many as were erased, and it answers what its log says', async () => {
    const finished = await audit(service.url);
    expect(finished.stdout).toMatch(/^3 interactions compared with the service, 0 differ$/m);
    await expectErased(finished);
  });

  it('of an export', async () => {
    const { text } = await service.call('GET', '/log/checkpoint');
    const lines = (await exported()).split('\n').slice(0, Number(text.split('\n')[1]));
    const file = await folder.file('erased.ndjson', `${lines.join('\n')}\n`);
    const checkpoint = await folder.file('erased.checkpoint', text);
    await expectErased(await audit(file, '--checkpoint', checkpoint));
  });

  it('of a service that hides the texts of another: those are missing', async () => {
    proxy.tamper = (path, body) =>
      path.startsWith('/v1/events')
        ? body.replace(/"texts":\{"contract".*?\}\}\}/g, '"texts":null}')
        : body;
    const { exitCode, stdout } = await audit(proxy.url);
    proxy.tamper = (_, body) => body;
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/ 0 failed, 2 not checkable, 6 erased$/m);
    expect(doubts(stdout).filter((line) => line.includes('texts-missing'))).toHaveLength(1);
    expect(stdout).toMatch(/\nnot checkable\n$/);
  });
});

describe('a bundle of an interaction whose texts are erased', () => {
  it.each([
    ['by consent', () => byConsent],
    ['by retention', () => byRetention],
  ])('%s says so, and by which event', async (_, of) => {
    const answer = await alpha.get(`${pathOf(of())}/evidence`, { token: alpha.runtimeToken });
    expect(answer.status).toBe(200);
    const file = await folder.file('bundle.json', answer.text);
    const { exitCode, stdout } = await countersign(['verify', file, '--trust', key]);
    expect(exitCode).toBe(3);
    const event = await erasureOf(of());
    // Besides what an audit asks there is the document.
    const count = ERASED / 2 + 1;
    expect(doubts(stdout)).toEqual([
      expect.stringMatching(
        new RegExp(`^erased +texts .*\\(${String(count)} checks, ${event}\\)$`),
      ),
    ]);
    expect(stdout).toContain(`0 failed, 0 not checkable, ${String(count)} erased\n`);
    expect(stdout).toMatch(/\nnot checkable: interaction .* \(only erased texts\)\n$/);
    expect(stdout).toMatch(new RegExp(`^verified +transition +${event}$`, 'm'));
  });

  it('says of texts that were left out alone that they are missing', async () => {
    const standing = await agreement(30);
    const path = `${pathOf(standing)}/evidence?texts=false`;
    const answer = await alpha.get(path, { token: alpha.runtimeToken });
    const file = await folder.file('bundle-without.json', answer.text);
    const { exitCode, stdout } = await countersign(['verify', file, '--trust', key]);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/texts-missing/);
    expect(stdout).toMatch(/ 0 failed, [1-9]\d* not checkable, 0 erased$/m);
    expect(stdout).not.toMatch(/^erased|only erased/m);
  });
});
