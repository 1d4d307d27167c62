import type { InteractionId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { ReadModel, SqlValue } from '../../projections/port.js';
import { sortable } from '../sortable-timestamp.js';
import { NOT_ENDED } from './projection.js';

/** What the view knows of a pair: those in force, and whether there was ever one. */
export interface ContractRows {
  /** In the order in which they came into force. */
  readonly inForce: readonly InteractionId[];
  readonly hadAny: boolean;
}

/**
 * Asks the view `contracts-by-pair`.
 * @param moment of the past, undefined for as far as the view is
 * @param limit of those in force
 */
export function contractRows(
  readModel: ReadModel,
  pair: string,
  moment: Timestamp | undefined,
  limit: number,
): ContractRows {
  const until = moment === undefined ? NOT_ENDED : sortable(moment);
  const values: Readonly<Record<string, SqlValue>> = { pair, until, limit };
  const goesOn = moment === undefined ? 'ended = @until' : 'ended > @until AND began <= @until';
  const inForce = readModel
    .prepare<{ id: InteractionId }>(
      `SELECT interaction_id AS id FROM contracts_by_pair WHERE pair = @pair AND ${goesOn}
       ORDER BY began, interaction_id LIMIT +@limit`,
    )
    .all(values);
  const hadAny =
    inForce.length > 0 ||
    readModel
      .prepare('SELECT 1 FROM contracts_by_pair WHERE pair = @pair AND began <= @until LIMIT 1')
      .get({ pair, until }) !== undefined;
  return { inForce: inForce.map(({ id }) => id), hadAny };
}
