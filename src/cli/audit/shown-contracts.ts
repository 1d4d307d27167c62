import type { ReplayedInteraction } from '../../audit/verify/replay/replayed-interaction.js';
import type { Contract } from '../../kernel/federated-interaction.js';
import { isObject, type Json } from '../../kernel/json.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { termsHash } from '../../kernel/terms.js';

/** A contract that is not the one that the log has the hash of. */
export interface ForeignContract {
  readonly pointer: string;
  /** Null where no contract is shown. */
  readonly hash: string | null;
  readonly expected: string;
}

/**
 * The state with the contracts that a document shows in place of those that the log does not give, each of
 * them held against the hash that the log has of it.
 */
export function withShownContracts(
  state: ReplayedInteraction,
  document: Json,
): Result<ReplayedInteraction, ForeignContract> {
  const revisions = [...state.revisions];
  const listed = isObject(document) ? document['contractRevisions'] : undefined;
  for (const [index, revision] of state.revisions.entries()) {
    if (revision.contract !== null) continue;
    const answered = Array.isArray(listed) ? (listed as readonly Json[])[index] : undefined;
    const shown = isObject(answered) ? answered['contract'] : undefined;
    const pointer = `/contractRevisions/${String(index)}/contract`;
    const hash = isObject(shown) ? termsHash(shown) : null;
    if (hash !== revision.termsHash) return err({ pointer, hash, expected: revision.termsHash });
    // The hash does not cover the signatures, of which no contract of a log has any.
    const contract = { ...(shown as object), signatures: {} } as unknown as Contract;
    revisions[index] = { ...revision, contract };
  }
  return ok({ ...state, revisions });
}
