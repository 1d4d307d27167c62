import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CapabilityContexts } from '../../../src/capabilities/commands/capability-contexts.js';
import type { CapabilityCommand } from '../../../src/capabilities/domain/commands.js';
import { isMoreRestricted } from '../../../src/capabilities/domain/replacement.js';
import { capabilityStream } from '../../../src/capabilities/domain/stream.js';
import type { CommandEnvelope } from '../../../src/event-store/command-execution.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import { RUNS } from '../../support/property-runs.js';
import { capability, FINANCE, type CapabilityChanges } from '../support/capabilities.js';
import { CapabilityNode } from '../support/capability-node.js';
import { become } from '../support/given-when-then.js';

/** Two nodes over one log: what each does of itself, the other's view does not have at once. */
let here: CapabilityNode;
let there: CapabilityNode;

beforeEach(async () => {
  here = await CapabilityNode.open();
  there = await CapabilityNode.open({ folder: here.folder });
});

afterEach(async () => {
  await there.close();
  await here.dispose();
});

const register = (id: string, changes: CapabilityChanges = {}): CapabilityCommand => ({
  kind: 'register',
  manifest: capability(id, changes).manifest,
});

const restrict = (id: string): CapabilityCommand => ({
  kind: 'revise',
  manifest: capability(id, { visibility: 'internal' }).manifest,
  expectedRevision: 0,
});

const point = (from: string, to: string): CapabilityCommand =>
  become('deprecated', 0, { skillId: from as SkillId, replacement: to as SkillId });

function envelope(): CommandEnvelope {
  const commandId = randomUUID();
  const actor = { principal: 'operator', agent: null, tenant: null };
  const nothing = { causationId: null, traceparent: null };
  return { commandId, requestDigest: '', actor, correlationId: commandId, ...nothing };
}

const wordOf = (answer: Awaited<ReturnType<CapabilityNode['perform']>>): string =>
  answer.ok ? 'done' : answer.error.code;

/** Does anybody point to what they may be refused? */
async function strandedBy(id: string): Promise<boolean> {
  const old = await here.registry.head(FINANCE, `old-${id}` as SkillId);
  const next = await here.registry.head(FINANCE, `new-${id}` as SkillId);
  const [pointing, replacing] = [old!.capability.manifest, next!.capability.manifest];
  return pointing.replacement === replacing.id && isMoreRestricted(replacing, pointing);
}

describe('a capability is not restricted below what it replaces', () => {
  it('when that was deprecated on another node a moment ago', async () => {
    for (let n = 0; n < RUNS.numRuns / 10; n++) {
      await here.performAll(register(`old-${n}`), register(`new-${n}`));
      await here.performAll(point(`old-${n}`, `new-${n}`));
      expect(wordOf(await there.perform(restrict(`new-${n}`)))).toBe('replacement-more-restricted');
    }
  });

  it('when it is not known in time who points to it', async () => {
    await here.performAll(register('old'), register('new'));
    await there.caughtUp();
    await there.runner.stop();
    await here.performAll(point('old', 'new'));
    const { hosted, store, execution, registry, usage, backends } = there;
    const contexts = new CapabilityContexts(
      ...([hosted, store, execution, registry, usage, backends, { readWaitMs: 20 }] as const),
    );
    const { state } = await execution.repository.load(capabilityStream(FINANCE, 'new' as SkillId));
    const now = () => capability('new').registeredAt;
    const prepared = await contexts.prepare(restrict('new'), state, null, now);
    expect(prepared).toEqual({ ok: false, error: { code: 'projection-behind' } });
    const widened: CapabilityCommand = { ...restrict('new'), ...register('new') };
    expect((await contexts.prepare(widened, state, null, now)).ok).toBe(true);
  });

  it.each(['ga', 'preview'] as const)(
    'when one that was %s is deprecated for it between the look and the append',
    async (state) => {
      await here.performAll(register('old', { state }), register('new'));
      const stream = capabilityStream(FINANCE, 'new' as SkillId);
      const command = restrict('new');
      let looks = 0;
      const executed = await there.execution.execute(
        stream,
        command,
        envelope(),
        async (known, now) => {
          const prepared = await there.contexts.prepare(command, known, null, now);
          if (looks++ > 0) return prepared;
          if (state === 'preview') {
            await here.performAll(become('ga', 0, { skillId: 'old' as SkillId }));
          }
          const revision = state === 'preview' ? 1 : 0;
          await here.performAll({ ...point('old', 'new'), expectedRevision: revision } as never);
          return prepared;
        },
      );
      expect(executed).toMatchObject({ ok: false, error: { code: 'replacement-more-restricted' } });
      expect(looks).toBe(2);
    },
  );

  it('when both are asked for at once, on two nodes or on one', async () => {
    const seen = new Set<string>();
    for (let n = 0; n < RUNS.numRuns / 5; n++) {
      const id = String(n);
      await here.performAll(register(`old-${id}`), register(`new-${id}`));
      const node = n % 2 === 0 ? here : there;
      const answers = await Promise.all([
        here.perform(point(`old-${id}`, `new-${id}`)),
        node.perform(restrict(`new-${id}`)),
      ]);
      seen.add(answers.map(wordOf).sort().join());
      expect(await strandedBy(id)).toBe(false);
    }
    expect([...seen]).toEqual(['done,replacement-more-restricted']);
  });
});

it('a restriction records the heads that decided it, not all that had to stand', async () => {
  await here.performAll(register('bystander'), register('hidden', { visibility: 'internal' }));
  await here.performAll(register('new', { visibility: 'extended' }), point('hidden', 'new'));
  await here.performAll(restrict('new'));
  const [, restricted] = await here.store.readStream(capabilityStream(FINANCE, 'new' as SkillId));
  expect(restricted!.metadata.basedOn).toEqual({
    [capabilityStream(FINANCE, 'hidden' as SkillId)]: 1,
  });
});
