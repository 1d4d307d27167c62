import type { Contract } from '../kernel/federated-interaction.js';
import type { Fault } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import { validateContract } from '../kernel/wire-schema.js';
import { cliFault, type CliFault } from './cli-fault.js';
import { readJson } from './input.js';

/**
 * Reads a contract as the service would take it.
 *
 * Refuses with the codes of {@link readJson}, `contract-invalid` and `signatures-not-empty`.
 */
export async function readContract(path: string): Promise<Result<Contract, CliFault>> {
  const json = await readJson(path);
  if (!json.ok) return json;
  const contract = validateContract(json.value);
  if (!contract.ok) return err(cliFault('contract-invalid', describeFaults(contract.error)));
  if (Object.keys(contract.value.signatures).length > 0) {
    return err(cliFault('signatures-not-empty', 'consent lives in acceptances'));
  }
  return ok(contract.value);
}

/** The first few faults on one line. */
export function describeFaults(faults: readonly Fault[]): string {
  const shown = faults.slice(0, 3).map(({ pointer, detail }) => `${pointer || '/'} ${detail}`);
  const rest = faults.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}
