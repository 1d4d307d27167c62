import type { Position } from '../../event-store/port.js';
import type { ReadModel } from '../../projections/port.js';
import { letOthersRun } from '../../threads/let-others-run.js';
import { nextWindow, selectRows, type Row, type Selection } from './interaction-rows.js';

/** How much is looked at for one page. */
export interface PageEffort {
  /** Rows looked at in one go: a few milliseconds at most, since everybody waits meanwhile. */
  readonly window: number;
  /** Windows per page. What is rarer takes several pages, some of them short or empty. */
  readonly windows: number;
}

export interface RowPage {
  readonly rows: readonly Row[];
  /** The next page begins after this position; undefined on the last page. */
  readonly next: Position | undefined;
}

/** Sorts after every position. */
const FROM_THE_END = '~' as Position;

/**
 * The next rows of a selection, the newest first. Keyset pagination: a page begins after a position,
 * and no row's position ever changes, so that rows which change, come or go between two pages
 * neither hide another row nor show one twice.
 *
 * @param readable leaves out rows that turn out not to be the caller's to read
 */
export async function pageOfRows(
  readModel: ReadModel,
  selection: Selection,
  { after, limit }: { readonly after: Position | undefined; readonly limit: number },
  effort: PageEffort,
  readable: (rows: readonly Row[]) => Promise<readonly Row[]>,
): Promise<RowPage> {
  const rows: Row[] = [];
  let before = after ?? FROM_THE_END;
  for (let windows = 0; windows < effort.windows; windows++) {
    const window = nextWindow(readModel, selection, before, effort.window);
    if (window === undefined) return { rows, next: undefined };
    // One row more than asked for tells whether there is a next page.
    const wanted = limit + 1 - rows.length;
    const found = selectRows(readModel, selection, { before, last: window.last }, wanted);
    rows.push(...(await readable(found)));
    if (rows.length > limit) {
      const page = rows.slice(0, limit);
      return { rows: page, next: page.at(-1)?.position };
    }
    const isCut = found.length === wanted;
    if (!isCut && window.count < effort.window) return { rows, next: undefined };
    before = (isCut ? found.at(-1)?.position : undefined) ?? window.last;
    await letOthersRun();
  }
  return { rows, next: before };
}
