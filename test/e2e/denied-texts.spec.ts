import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { countersign, type Finished } from '../cli/support/countersign.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { contractOf, documentOf, Negotiator, pathOf } from './support/negotiator.js';
import { TamperingProxy } from './support/tampering-proxy.js';

let service: InProcessService;
let proxy: TamperingProxy;
let alpha: Negotiator;
let beta: Negotiator;
let erased: FederatedInteraction;
let active: FederatedInteraction;
let key: string;
let token: string;

const AUDITOR = { principal: 'auditor', tenant: 'auditors', scopes: ['audit:read-all'] };

beforeAll(async () => {
  // But for the first, a checkpoint comes only to whoever asks for one.
  service = await startTestService({ env: { LOG_CHECKPOINT_SECONDS: '600' } });
  proxy = await TamperingProxy.before(service);
  alpha = await Negotiator.register(service, 'alpha');
  beta = await Negotiator.register(service, 'beta');
  active = await agreement();
  erased = documentOf(await beta.cancel(await agreement(), 'Because'));
  await erase(erased);
  token = await service.token(AUDITOR);
  await covered(erased);
  key = String((await service.call('GET', '/v1/log')).body['verifierKey']);
}, 60_000);

afterAll(async () => {
  await proxy.close();
  await service.dispose();
});

beforeEach(() => {
  proxy.tamper = (_, body) => body;
  proxy.status = (_, status) => status;
});

async function agreement(): Promise<FederatedInteraction> {
  const terms = contractOf([alpha, beta], { retentionDays: 30 });
  return documentOf(await beta.accept(documentOf(await alpha.propose(terms, beta))));
}

async function erase(document: FederatedInteraction): Promise<void> {
  await alpha.consentToErasure(document);
  await beta.consentToErasure(document);
  const isErased = async (): Promise<boolean> =>
    (await alpha.get(`${pathOf(document)}/status`)).body['erasure'] !== null;
  await eventually(isErased);
}

/** Until a checkpoint covers the newest event of the interaction. */
async function covered(document: FederatedInteraction): Promise<void> {
  await eventually(async () => {
    const { status } = await alpha.get(`${pathOf(document)}/evidence?texts=false`, {
      token: alpha.runtimeToken,
    });
    return status === 200;
  }, 20_000);
}

const audit = (): Promise<Finished> =>
  countersign(['audit', proxy.url, '--trust', key, '--threads', '2'], '', {
    COUNTERSIGN_TOKEN: token,
  });

const isOf = (document: FederatedInteraction, path: string): boolean =>
  path.startsWith(`${pathOf(document)}?at=`);

it('an erasure that comes while the log is read is waited for, and is no false alarm', async () => {
  const late = documentOf(await beta.cancel(await agreement(), 'Because'));
  await covered(late);
  let isErased = false;
  proxy.tamper = async (path, body) => {
    if (!isErased && path.startsWith('/v1/events')) {
      isErased = true;
      await erase(late);
    }
    return body;
  };
  const { exitCode, stdout } = await audit();
  expect(stdout).toMatch(/^3 interactions compared with the service, 0 differ$/m);
  expect(stdout).toMatch(
    new RegExp(`^erased +texts +interaction-${late.interactionId} .*\\(3 checks`, 'm'),
  );
  expect(exitCode).toBe(3);
}, 60_000);

it('an erasure that the log does not hold is told, and a document of erased texts', async () => {
  proxy.status = (path, status) => {
    if (isOf(active, path)) return 410;
    return isOf(erased, path) ? 200 : status;
  };
  proxy.tamper = (path, body) => {
    if (isOf(active, path)) {
      const { parties } = active.contract;
      return JSON.stringify({ code: 'interaction-erased', remains: remainsOf(body, parties) });
    }
    if (!isOf(erased, path)) return body;
    const { remains } = JSON.parse(body) as { remains: object };
    return JSON.stringify({ ...remains, contract: { purpose: 'Fabricated' } });
  };
  const { exitCode, stdout } = await audit();
  expect(exitCode).toBe(4);
  expect(stdout).toContain(' 2 differ\n');
  const told = (document: FederatedInteraction, what: string): RegExp =>
    new RegExp(`^differs +state +interaction-${document.interactionId}@\\d+: ${what}$`, 'm');
  expect(stdout).toMatch(told(active, 'log texts not erased, service HTTP 410'));
  expect(stdout).toMatch(told(erased, 'log texts erased, service HTTP 200'));
}, 60_000);

it('a contract is held against its hash where the log is given without texts', async () => {
  const hidden = (line: string): string => {
    const event = JSON.parse(line) as { readonly data: object };
    return `${JSON.stringify({ ...event, data: { ...event.data, texts: null } })}\n`;
  };
  const withoutTexts = (path: string, body: string): string =>
    path.startsWith('/v1/events') ? body.trimEnd().split('\n').map(hidden).join('') : body;
  proxy.tamper = withoutTexts;
  const honest = await audit();
  expect([honest.exitCode, honest.stdout]).toEqual([3, expect.stringContaining(' 0 differ\n')]);
  expect(honest.stdout).toContain('texts-missing');

  proxy.tamper = (path, body) =>
    isOf(active, path)
      ? body.replaceAll(/"purpose":"[^"]*"/g, '"purpose":"Fabricated"')
      : withoutTexts(path, body);
  const forged = await audit();
  expect(forged.exitCode).toBe(4);
  expect(forged.stdout).toMatch(
    /\/contractRevisions\/0\/contract: log terms \S+, service terms \S+$/m,
  );
}, 60_000);

it('an answer that is too deep is refused, and is no verdict', async () => {
  const deep = 10_000;
  proxy.tamper = (path, body) =>
    isOf(active, path) ? `{"contract":${'['.repeat(deep)}${']'.repeat(deep)}}` : body;
  const { exitCode, stderr } = await audit();
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^json-too-deep: /)]);
}, 60_000);

/** As the service would answer, were it so. */
function remainsOf(document: string, parties: readonly string[]): object {
  const { protocolVersion, contract, acceptances, contractRevisions, ...rest } = JSON.parse(
    document,
  ) as FederatedInteraction;
  expect([protocolVersion, contract, acceptances]).not.toContain(undefined);
  return {
    ...rest,
    parties,
    contractRevisions: contractRevisions.map((revision) => {
      const { interactionId, contract: terms, expiresAt, acceptances: each, ...kept } = revision;
      expect([interactionId, terms, expiresAt]).not.toContain(undefined);
      return { ...kept, acceptances: Object.values(each) };
    }),
  };
}
