import { countersign } from '../../cli/support/countersign.js';
import { eventually } from '../../support/eventually.js';
import type { TestService } from '../../support/service.js';
import { AUDITS_ALL } from './auditor.js';

/** How long a checkpoint may take that covers what is written, in milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * What an auditor who trusts the service's log key finds wrong with its whole log, by the command for
 * that. `LOG_CHECKPOINT_SECONDS` of the service should be small.
 */
export async function auditFailures(service: TestService): Promise<readonly string[]> {
  const token = await service.token(AUDITS_ALL);
  await eventually(async () => {
    const headers = { accept: 'application/x-ndjson' };
    const { text } = await service.call('GET', '/v1/events', { token, headers });
    const checkpoint = await service.call('GET', '/log/checkpoint');
    return Number(checkpoint.text.split('\n')[1]) >= text.trimEnd().split('\n').length;
  }, PATIENCE_MS);
  const key = String((await service.call('GET', '/v1/log')).body['verifierKey']);
  const audit = ['audit', service.url, '--trust', key, '--threads', '1'];
  const { stdout, stderr } = await countersign(audit, '', { COUNTERSIGN_TOKEN: token });
  const verdict = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (!VERDICTS.has(verdict)) throw new Error(`${stdout}${stderr}`);
  return stdout.split('\n').filter((line) => line.startsWith('failed'));
}

const VERDICTS: ReadonlySet<string> = new Set(['verified', 'not checkable', 'failed']);
