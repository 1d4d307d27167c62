import type { AgentId } from '../../kernel/ids.js';
import type { KnownIdentifiers } from '../domain/known-identifiers.js';

/**
 * The identifiers that entries of contracts are understood by: `action` and `data` values of manifests,
 * each from the moment at which a manifest first had it and whatever became of that, and the entries of
 * the setting `VOCABULARY`.
 *
 * Each answer is the same object as long as nothing was added to it, and another one afterwards, so
 * that what follows from it can be remembered by it (`oncePerObject`).
 */
export abstract class Vocabulary {
  /**
   * The words of a hosted agent: values of its manifests and of those of the other agents that are
   * hosted for its tenant. Nobody else can make an entry of its contracts understood.
   */
  abstract of(agentId: AgentId): KnownIdentifiers;

  /** Values of any manifest of this deployment. */
  abstract everywhere(): KnownIdentifiers;

  /** The entries of the setting alone, which everybody may know. */
  abstract settled(): KnownIdentifiers;
}
