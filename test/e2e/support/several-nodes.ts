import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeBase64Url } from '../../../src/kernel/base64url.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { rootOfFirst, signedTrees } from '../../audit/log/support/true-checkpoints.js';
import { effort } from '../../contracts/support/effort.js';
import type { SampleBackend } from '../../invocations/backends/support/sample-backend.js';
import { eventually } from '../../support/eventually.js';
import type { SpawnedService, TokenOptions } from '../../support/service.js';
import { Cluster } from './cluster.js';
import { HOST_TENANT, type Deployment } from './deployment.js';
import { outcomeOf } from './direct-calls.js';
import {
  agree,
  callerFor,
  contractSkill,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './finance.js';
import { holdViews } from './held-views.js';
import { firstListed, wholeList } from './lists.js';
import { byStream, faultsOf, logOnce, wholeLog } from './log-audit.js';
import { NegotiationLoad } from './negotiation-load.js';
import { contractOf, documentOf, Negotiator, pathOf } from './negotiator.js';
import { readDatabaseOf, spawnNodes } from './nodes.js';
import { TileClient } from './tile-client.js';
import { registerTrusting } from './trusting-agent.js';

/** What several nodes share. */
export interface SharedStores {
  /** `EVENT_STORE`, `KEY_STORE`, `TASK_STORE`. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
  /** Where engine or key store keep what they hold, to look there; undefined when it cannot be read. */
  files?(): Promise<string | undefined>;
}

/** Three processes beside those of other tests, in milliseconds. */
const STARTS_WITHIN_MS = 240_000;
const NODES = ['node-a', 'node-b', 'node-c'];
const KILLS = effort(3, 60);
const NEGOTIATIONS_AT_ONCE = 4;
const ROUNDS = effort(30, 300);
/** A lease that a killed node has left behind, and an interval of checkpoints, in milliseconds. */
const SIGNED_WITHIN_MS = 90_000;
const READS_CAPABILITIES: TokenOptions = {
  principal: 'operator',
  tenant: HOST_TENANT,
  scopes: ['capabilities:read'],
};
const SKILL = 'reconcile';
const CALL: JsonObject = { invoice: 'INV-1' };

/** What must hold of three processes over one log, whatever the engine. */
export function severalNodes(engine: string, openStores: () => Promise<SharedStores>): void {
  describe(`three processes over one log (${engine})`, () => {
    let stores: SharedStores;
    let deployed: Deployment;
    let backend: SampleBackend;
    let cluster: Cluster;
    let alpha: Negotiator;
    let beta: Negotiator;
    let trusting: Negotiator;
    let finance: Negotiator;

    beforeAll(async () => {
      stores = await openStores();
      backend = await startBackend(() => cluster.node(0));
      deployed = await financeDeployment(backend, [contractSkill(SKILL)], { env: stores.env });
      cluster = new Cluster(await spawnNodes(deployed, NODES));
      const node = cluster.node(0);
      alpha = await Negotiator.register(node, 'alpha');
      beta = await Negotiator.register(node, 'beta');
      trusting = await registerTrusting(node);
      finance = await registerFinance(node);
    }, STARTS_WITHIN_MS);

    afterAll(async () => {
      await cluster.stop();
      await backend.stop();
      await stores.stop();
      await rm(deployed.folder, { recursive: true, force: true });
    }, STARTS_WITHIN_MS);

    /** What each of the nodes answers, byte for byte. */
    async function expectSame(
      ask: (node: SpawnedService) => Promise<readonly string[]>,
    ): Promise<void> {
      const [first, ...others] = await Promise.all(cluster.nodes.map(ask));
      expect(first?.join('')).toContain('"items":[{');
      expect(others).toEqual([first, first]);
    }

    /** Of one size, whose root every node's own tiles make, and the log. */
    async function expectSameTree(): Promise<void> {
      let size = 0;
      await eventually(async () => {
        const sizes = await Promise.all(cluster.nodes.map(checkpointSizeOf));
        [size = 0] = sizes;
        return size > 0 && sizes.every((each) => each === size);
      }, SIGNED_WITHIN_MS);
      const roots = await Promise.all(
        cluster.nodes.map(async ({ url }) => new TileClient(`${url}/log`, size).root()),
      );
      const expected = rootOfFirst(size, await wholeLog(deployed));
      expect(roots.map(encodeBase64Url)).toEqual([expected, expected, expected]);
    }

    it(
      'lose nothing, double nothing and end with the same views, killed at random moments',
      async () => {
        const load = new NegotiationLoad(cluster, alpha, beta, trusting);
        const running = load.run(NEGOTIATIONS_AT_ONCE);
        await Promise.race([running, cluster.killAtRandom(KILLS, Math.random)]);
        load.stop();
        await running;
        const { lapsing, trusted } = load;
        // The processes do what is due by now, on whichever node.
        const log = await logOnce(deployed, (streams) => {
          const lengthOf = (id: string) => streams.get(`interaction-${id}`)?.length ?? 0;
          const haveLapsed = lapsing.every((id) => lengthOf(id) > 1);
          return haveLapsed && trusted.every((id) => lengthOf(id) > 2);
        });
        expect(faultsOf(log)).toEqual([]);
        // Whoever was killed while signing: nothing was signed that is not so, and no tree twice.
        const { signed, untrue } = signedTrees(log);
        expect([untrue, new Set(signed).size]).toEqual([[], signed.length]);
        const streams = byStream(log);
        const eventsOf = (interactionId: string) =>
          streams.get(`interaction-${interactionId}`) ?? [];

        // What was acknowledged is there, once; what was refused is not.
        for (const { commandId, interactionId, act, status } of load.writes) {
          const events = eventsOf(interactionId).filter(
            ({ metadata }) => metadata.commandId === commandId,
          );
          expect([act, status, events.length > 0]).toEqual([act, status, status < 300]);
        }
        for (const race of load.races) {
          expect(race.filter(({ status }) => status < 300)).toHaveLength(1);
        }
        for (const id of lapsing) {
          expect(eventsOf(id).map(({ type }) => type)).toEqual([
            'interaction-proposed',
            'interaction-expired',
          ]);
        }
        for (const id of trusted) {
          expect(eventsOf(id).map(({ type }) => type)).toEqual([
            'interaction-proposed',
            'revision-accepted',
            'revision-attested',
          ]);
        }

        const token = log.at(-1)?.position ?? '';
        for (const who of [alpha, beta, trusting]) {
          await expectSame(async (node) => wholeList(who.at(node), token));
        }
        await expectSame(async (node) => wholeList(alpha.at(node), token, '/v1/agents'));
        await expectSame(async (node) =>
          wholeList(alpha.at(node), token, '/v1/capabilities', READS_CAPABILITIES),
        );
        await expectSameTree();

        // It has put something to the test.
        expect(cluster.kills).toBe(KILLS);
        expect(cluster.interrupted).toBeGreaterThan(0);
        for (const each of [load.races, lapsing, trusted]) expect(each.length).toBeGreaterThan(3);
      },
      effort(240_000, 1_800_000),
    );

    it('show a write at once on another node to whoever brings its position', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const [here, there, elsewhere] = [round, round + 1, round + 2].map((number) =>
          cluster.node(number),
        ) as [SpawnedService, SpawnedService, SpawnedService];
        const proposed = await alpha.at(here).propose(contractOf([alpha, beta]), beta);
        const document = documentOf(proposed);
        const newest = await firstListed(beta.at(there), proposed);
        expect(newest['interactionId']).toBe(document.interactionId);
        const accepted = await beta.at(elsewhere).accept(document);
        expect(await firstListed(alpha.at(here), accepted)).toMatchObject({
          interactionId: document.interactionId,
          status: 'active',
        });
        const { body } = await alpha.at(there).get(pathOf(document));
        expect(body['status']).toBe('active');
      }
    }, 120_000);

    it('stop a call under a contract that another one has ended, also with views that stand still', async () => {
      const [here, there] = [cluster.node(0), cluster.node(1)];
      const partner = (await newPartner(here)).at(here);
      const document = await agree(partner, finance);
      const caller = (await callerFor(here, partner)).at(there);
      expect(outcomeOf(await caller.invoke(SKILL, CALL))).toBe('COMPLETED');
      const runs = backend.received.length;
      const release = holdViews(readDatabaseOf(deployed, NODES[1] ?? ''));
      try {
        const cancelled = await finance.cancel(document);
        expect(cancelled.status).toBe(200);
        const contract = { interactionId: document.interactionId };
        expect(outcomeOf(await caller.invoke(SKILL, CALL))).toBe('FORBIDDEN contract-required');
        expect(outcomeOf(await caller.invoke(SKILL, CALL, { contract }))).toBe(
          'FORBIDDEN contract-ended',
        );
        expect(backend.received.length).toBe(runs);
        // The view itself still shows the contract as it was: nobody has asked it.
        const seen = cancelled.headers.get('position-token') ?? '';
        const headers = { 'position-token': seen };
        const behind = await partner.at(there).get('/v1/interactions', { headers });
        expect([behind.status, behind.body['code']]).toEqual([503, 'projection-behind']);
        const late = await partner.at(there).get('/v1/interactions');
        expect((late.body['items'] as readonly JsonObject[])[0]).toMatchObject({
          interactionId: document.interactionId,
          status: 'active',
        });
      } finally {
        release();
      }
      await eventually(async () => {
        const { body } = await partner.at(there).get('/v1/interactions');
        return (body['items'] as readonly JsonObject[])[0]?.['status'] === 'cancelled';
      }, 30_000);
    }, 120_000);
  });
}

async function checkpointSizeOf(node: SpawnedService): Promise<number> {
  const { body } = await node.call('GET', '/v1/log');
  return Number((body['checkpoint'] as JsonObject | null)?.['size'] ?? 0);
}
