import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import { capabilityStream } from '../../src/capabilities/domain/stream.js';
import { capabilityDirectory } from '../../src/capabilities/projection.js';
import { ProjectedRegistry } from '../../src/capabilities/projected-registry.js';
import { readStoredCapability, storeCapability } from '../../src/capabilities/stored-capability.js';
import type { AgentId, SkillId } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import type { ReadModel } from '../../src/projections/port.js';
import { eventually } from '../support/eventually.js';
import { capability, FINANCE } from './support/capabilities.js';
import { CapabilityNode, hostedAgent } from './support/capability-node.js';
import { become, manifest, opt, register, revise, SKILL } from './support/given-when-then.js';

const OTHER = 'constructor' as AgentId;

let node: CapabilityNode;
let reports: string[];

beforeEach(async () => {
  reports = [];
  node = await CapabilityNode.open({
    hosted: [hostedAgent(FINANCE), hostedAgent(OTHER)],
    onReport: (line) => reports.push(line),
  });
});

afterEach(async () => {
  await node.dispose();
});

const add = (...ids: readonly string[]): Promise<void> =>
  node.performAll(
    ...ids.map((id) => ({ kind: 'register', manifest: capability(id).manifest }) as const),
  );

describe('the registry of an agent', () => {
  it('is empty, and the same, as long as nothing is registered', async () => {
    await node.caughtUp();
    const before = node.registry.of(FINANCE);
    expect(before.all.size).toBe(0);
    expect(node.registry.of(FINANCE)).toBe(before);
  });

  it('holds after every event what the streams fold to', async () => {
    const life = [
      register({ state: 'preview' }),
      opt('opt-in', 'partner-agent'),
      opt('opt-in', 'rival-agent'),
      opt('opt-out', 'rival-agent'),
      become('ga', 3),
      revise({ owner: 'others', skill: { name: 'Another' } }, 4),
      become('deprecated', 5, { reason: 'old' }),
      become('removed', 6),
    ];
    for (const command of life) {
      await node.performAll(command);
      await node.caughtUp();
      const head = await node.registry.head(FINANCE, SKILL);
      expect(head?.stream).toBe('capability-finance-agent/reconcile-invoice');
      expect(node.registry.of(FINANCE).all.get(SKILL)).toEqual(head?.capability);
    }
    expect(node.registry.of(FINANCE).all.get(SKILL)?.manifest.state).toBe('removed');
  });

  it('is the same object until something of this agent changes, and another version then', async () => {
    await add('a', 'b');
    await node.caughtUp();
    const before = node.registry.of(FINANCE);
    expect(node.registry.of(FINANCE)).toBe(before);
    await node.performAll({
      kind: 'register',
      manifest: { ...capability('c').manifest, agentId: OTHER },
    });
    await node.caughtUp();
    expect(node.registry.of(FINANCE)).toBe(before);
    expect([...node.registry.of(OTHER).all.keys()]).toEqual(['c']);
    await node.performAll({
      kind: 'revise',
      manifest: capability('a', { owner: 'others' }).manifest,
      expectedRevision: 0,
    });
    await node.caughtUp();
    const after = node.registry.of(FINANCE);
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.all.get('a' as SkillId)?.manifest.owner).toBe('others');
    // What did not change is not read again; what was handed out does not change.
    expect(after.all.get('b' as SkillId)).toBe(before.all.get('b' as SkillId));
    expect(before.all.get('a' as SkillId)?.manifest.owner).toBe('owner-team');
  });

  it('is in the order of registration, whatever changes later, on every node', async () => {
    await add('z', 'm');
    await node.caughtUp();
    node.registry.of(FINANCE);
    await add('a', 'q');
    await node.performAll({
      kind: 'revise',
      manifest: capability('z', { owner: 'others' }).manifest,
      expectedRevision: 0,
    });
    await node.caughtUp();
    expect([...node.registry.of(FINANCE).all.keys()]).toEqual(['z', 'm', 'a', 'q']);
    const later = await CapabilityNode.open({ folder: node.folder, hosted: node.hosted });
    await later.caughtUp();
    expect([...later.registry.of(FINANCE).all.entries()]).toEqual([
      ...node.registry.of(FINANCE).all.entries(),
    ]);
    await later.close();
  });

  it('is read anew from a view that was built anew, though its changes have the same numbers', async () => {
    await add('a', 'b');
    await node.caughtUp();
    const later = await CapabilityNode.open({ folder: node.folder, hosted: node.hosted });
    await later.caughtUp();
    let view: ReadModel = node.runner;
    const replaced: ReadModel = {
      prepare: (sql) => view.prepare(sql),
      waitFor: (...parameters) => view.waitFor(...parameters),
      isReliable: (...parameters) => view.isReliable(...parameters),
      unreliableStreams: (name) => view.unreliableStreams(name),
      checkpoint: (name) => view.checkpoint(name),
      parkedEvents: (stream) => view.parkedEvents(stream),
    };
    const registry = new ProjectedRegistry(replaced, node.store, node.execution);
    const before = registry.of(FINANCE);
    view = later.runner;
    const after = registry.of(FINANCE);
    expect([...after.all]).toEqual([...before.all]);
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.all.get('a' as SkillId)).not.toBe(before.all.get('a' as SkillId));
    await later.close();
  });

  it('is complete once the view holds all that the log holds', async () => {
    await add('a', 'b', 'c');
    expect(await node.registry.isComplete(10_000)).toBe(true);
    expect(node.registry.of(FINANCE).all.size).toBe(3);
    await node.runner.stop();
    await add('d');
    expect(await node.registry.isComplete(20)).toBe(false);
  });

  it('tells of nothing that is not there at the head', async () => {
    expect(await node.registry.head(FINANCE, 'toString' as SkillId)).toBeUndefined();
  });
});

describe('a capability whose stream cannot be read completely', () => {
  const stream = capabilityStream(FINANCE, 'b' as SkillId);

  async function damage(): Promise<void> {
    const id = randomUUID();
    await node.store.append(stream, 0, [
      {
        id,
        type: 'capability-from-the-future',
        recordedAt: timestampOf(node.now),
        schemaVersion: 1,
        data: {},
        sealed: null,
        salt: 'AAAAAAAAAAAAAAAAAAAAAA',
        metadata: {
          commandId: id,
          requestDigest: '',
          actor: { principal: 'p', agent: null, tenant: null },
          correlationId: id,
          causationId: null,
          traceparent: null,
          basedOn: {},
        },
      },
    ]);
  }

  it('is left out, and nothing else is', async () => {
    await add('a', 'b', 'c');
    await node.caughtUp();
    const before = node.registry.of(FINANCE);
    await damage();
    await eventually(() => !node.runner.isReliable(capabilityDirectory.name, stream));
    const after = node.registry.of(FINANCE);
    expect([...after.all.keys()]).toEqual(['a', 'c']);
    expect(after.version).toBeGreaterThan(before.version);
    expect(node.registry.of(FINANCE)).toBe(after);
    expect(reports).not.toEqual([]);
  });

  it('is left out from the start, before the views are taken up', async () => {
    await add('a', 'b');
    await damage();
    const later = await CapabilityNode.open({ folder: node.folder, onReport: () => undefined });
    expect(later.registry.of(FINANCE).all.size).toBe(0);
    await eventually(() => later.registry.of(FINANCE).all.size > 0);
    await eventually(() => !later.runner.isReliable(capabilityDirectory.name, stream));
    expect([...later.registry.of(FINANCE).all.keys()]).toEqual(['a']);
    await later.close();
  });
});

describe('a stored capability', () => {
  it('reads back as the same', () => {
    const stored: Capability = {
      ...capability(SKILL, { optedIn: ['constructor', 'b'] }),
      manifest: manifest({ tenants: ['*x'] }),
    };
    expect(readStoredCapability(storeCapability(stored))).toEqual(stored);
  });
});
