import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { publicSkills } from '../../../src/capabilities/domain/card-skills.js';
import { manifestDocument } from '../../../src/capabilities/domain/manifest-document.js';
import { filedCapabilities } from '../../../src/capabilities/queries/filed-capabilities.js';
import { readHostedAgents } from '../../../src/config/hosted-agents-file.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { capability, FINANCE, type CapabilityChanges } from '../support/capabilities.js';
import { RECONCILE } from '../support/documents.js';

const EXAMPLE = new URL('../../../examples/finance/', import.meta.url);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-filed-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function agent(agentId: AgentId = FINANCE): HostedAgent {
  return {
    agentId,
    tenant: 'finance',
    name: 'n',
    description: 'd',
    version: '1.0',
    provider: null,
    documentationUrl: null,
    iconUrl: null,
    extendedCard: 'derived',
    capabilitiesFolder: folder,
    handlers: [],
    backends: new Map(),
  };
}

async function file(name: string, id: string, changes: CapabilityChanges = {}): Promise<void> {
  const document = manifestDocument(capability(id, changes).manifest);
  await writeFile(join(folder, name), JSON.stringify(document));
}

async function ids(): Promise<readonly string[]> {
  const filed = await filedCapabilities([agent()], FINANCE);
  return filed.ok ? [...filed.value.keys()] : filed.error;
}

describe('the capabilities of manifest files', () => {
  it('are those of the example: one for everybody, the others for partners', async () => {
    const agents = readHostedAgents(fileURLToPath(new URL('agents.json', EXAMPLE)), false);
    if (!agents.ok) throw new Error(JSON.stringify(agents.error));
    const filed = await filedCapabilities(agents.value, 'finance' as AgentId);
    if (!filed.ok) throw new Error(filed.error.join());
    expect([...filed.value.keys()]).toEqual([
      ...['dispute-invoice', 'lookup-invoice', 'match-invoice-lines'],
      ...['reconcile-invoice', 'release-payment'],
    ]);
    expect(publicSkills(filed.value).map(({ id }) => id)).toEqual(['lookup-invoice']);
    const reconcile = new URL('capabilities/reconcile-invoice.json', EXAMPLE);
    // The specification gives one example, which is too few to recognise texts by.
    const examples = [...RECONCILE.skill.examples, expect.any(String), expect.any(String)];
    expect(JSON.parse(await readFile(reconcile, 'utf8'))).toEqual({
      ...RECONCILE,
      skill: { ...RECONCILE.skill, examples },
    });
  });

  it('come in the order of the files, after what replaces them', async () => {
    await file('1.json', 'b');
    await file('2.json', 'a', { state: 'deprecated', replacement: 'z' as never });
    await file('3.json', 'z');
    expect(await ids()).toEqual(['b', 'z', 'a']);
  });

  it('are refused with every fault of every file', async () => {
    await writeFile(join(folder, '1.json'), '{');
    await file('2.json', 'closed', { requiresScopes: ['x'] });
    const faults = await ids();
    expect(faults).toHaveLength(2);
    expect(faults[0]).toMatch(/1\.json: .*JSON/);
    expect(faults[1]).toMatch(/2\.json: \/requires_scopes: public-capability-restricted: /);
  });
});
