import type { ContractRevision } from '../../src/kernel/federated-interaction.js';
import type { Fault } from '../../src/kernel/rejection.js';
import { ok, type Result } from '../../src/kernel/result.js';
import { validateInteraction } from '../../src/kernel/wire-schema.js';
import { negotiated } from '../audit/support/documents.js';

const INTERACTION = JSON.parse(JSON.stringify(negotiated())) as object;

/** Has the value the shape of a revision? As the only one of an interaction in which all else is well. */
export function judgeRevision(value: unknown): Result<ContractRevision, readonly Fault[]> {
  const judged = validateInteraction({ ...INTERACTION, contractRevisions: [value] });
  return judged.ok ? ok(judged.value.contractRevisions[0]!) : judged;
}
