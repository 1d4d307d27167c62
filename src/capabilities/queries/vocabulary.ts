import type { Timestamp } from '../../kernel/timestamp.js';

/**
 * The identifiers that entries of contracts are understood by: every `action` and `data` value that a
 * manifest of this deployment ever had, and the entries of the setting `VOCABULARY`. Compared
 * exactly. An entry that is none of them is prose, which applies to every call.
 */
export abstract class Vocabulary {
  /**
   * The same object as long as nothing was added, and another one afterwards, so that what follows from
   * it can be remembered by it (`oncePerObject`).
   *
   * @param moment of the past: values that manifests had by then; the setting is today's
   */
  abstract known(moment?: Timestamp): Pick<ReadonlySet<string>, 'has'>;
}
