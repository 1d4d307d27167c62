import { err, ok, type Result } from '../../kernel/result.js';
import { toPosition, type AppendRequest } from '../event-row.js';
import type { Appended, AppendConflict } from '../port.js';
import type { BatchesOptions } from './batches.js';
import type { Connections } from './connections.js';
import type { Schema } from './schema.js';

const APPENDS_PER_COMMIT = 256;
const CHARACTERS_PER_COMMIT = 8 * 1024 * 1024;

type Outcome = readonly [isStored: boolean, revision: number, position: number | null];

/** How appends share transactions: each is checked and refused for itself. */
export function appendBatches(
  connections: Connections,
  schema: Schema,
  onCommit: (head: number) => void,
): BatchesOptions<AppendRequest, Result<Appended, AppendConflict>> {
  return {
    joins: () => {
      // Streams of those that join, or that must wait.
      const behind = new Set<string>();
      let count = 0;
      let characters = 0;
      let isFull = false;
      return ({ stream, rows, basis }) => {
        for (const { body } of rows) characters += body.length;
        isFull ||= count >= APPENDS_PER_COMMIT;
        isFull ||= count > 0 && characters > CHARACTERS_PER_COMMIT;
        // One after the other to one stream: the next one is judged by what this one leaves. So is one
        // that rests on such a stream, and nobody overtakes it meanwhile.
        const mustWait = [stream, ...Object.keys(basis)].some((name) => behind.has(name));
        if (!isFull) behind.add(stream);
        if (isFull || mustWait) return false;
        count++;
        return true;
      };
    },
    run: async (batch) => {
      const rows = batch.flatMap((request) => request.rows);
      const basis = batch.flatMap((request, index) =>
        Object.entries(request.basis).map(([name, head]) => ({ of: index + 1, name, head })),
      );
      const outcomes = await connections.ask<Outcome>({
        name: 'append',
        text: `SELECT * FROM ${schema.quoted}.append($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        values: [
          batch.map(({ stream }) => stream),
          batch.map(({ after }) => after),
          batch.map((request) => request.rows.length),
          rows.map(({ type }) => type),
          rows.map(({ id }) => id),
          rows.map(({ body }) => body),
          basis.map(({ of }) => of),
          basis.map(({ name }) => name),
          basis.map(({ head }) => head),
        ],
      });
      onCommit(Math.max(...outcomes.map(([, , position]) => position ?? 0)));
      return outcomes.map((outcome, index) => toResult(outcome, batch[index]?.after));
    },
  };
}

/** @param after where the stream had to be: if it is there, only its basis can have moved */
function toResult(
  [isStored, revision, position]: Outcome,
  after: number | undefined,
): Result<Appended, AppendConflict> {
  if (isStored) return ok({ revision, position: toPosition(position ?? 0) });
  if (revision === after) return err({ code: 'basis-moved' });
  return err({ code: 'append-conflict', actual: revision === -1 ? 'no-stream' : revision });
}
