import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Auditor, checksOf } from '../../../src/cli/demo/auditor.js';
import { backdated } from '../../../src/cli/demo/audit-story.js';
import { DemoClient, type Answer } from '../../../src/cli/demo/demo-client.js';
import { formatNoteKey } from '../../../src/kernel/note-key.js';
import { AUDIENCE } from '../../support/interaction-fixtures.js';
import { goldenBundle, logKey } from '../../audit/support/bundles.js';

/** A service that says the key of its log, and nothing else. */
class LogOnly extends DemoClient {
  override request(_method: string, path: string): Promise<Answer> {
    if (path !== '/v1/log') throw new Error(`nobody asks for ${path}`);
    return Promise.resolve({ status: 200, body: { verifierKey: formatNoteKey(logKey) } });
  }
}

let folder: string;
let auditor: Auditor;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-auditor-'));
  auditor = await Auditor.appoint(new LogOnly(AUDIENCE, AUDIENCE), 'token', folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const completed = goldenBundle('negotiated-amended-completed');

describe('the auditor of the demo', () => {
  it('verifies a bundle with the log’s key alone, and counts the checks of each verdict', async () => {
    const told = await auditor.verify(completed, 'evidence.json');
    expect(told.exitCode).toBe(0);
    const numbers = /^checks: (\d+) verified, 0 failed, 0 not checkable, 0 erased$/;
    const [, verified] = numbers.exec(told.lines.at(-2) ?? '') ?? [];
    expect(Number(verified)).toBe(told.lines.length - 2);
    expect(checksOf(told, 'verified')).toHaveLength(Number(verified));
  });

  it('finds the one member that somebody changed', async () => {
    const told = await auditor.verify(backdated(completed), 'forged.json');
    expect(told.exitCode).toBe(1);
    expect(checksOf(told, 'failed').join('\n')).toMatch(
      / inclusion +interaction-.* not-included: /,
    );
  });

  it('lacks what the texts would have shown', async () => {
    const told = await auditor.verify({ ...completed, document: null, dataKey: null }, 'bare.json');
    expect(told.exitCode).toBe(3);
    expect(told.lines.at(-2)).toMatch(/ 0 failed, [1-9]\d* not checkable, 0 erased$/);
  });
});

it('there is nothing to backdate in what was never completed', () => {
  const rejected = goldenBundle('rejected');
  expect(backdated(rejected)).toEqual(rejected);
});
