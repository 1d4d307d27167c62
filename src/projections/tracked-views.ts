import type { Position } from '../event-store/port.js';
import type { Projection } from './port.js';
import type { TrackedProjection } from './tracked-projection.js';

/** Where all views of a runner stand. None is known before the runner has taken them up. */
export class TrackedViews {
  readonly #names: ReadonlySet<string>;
  #tracked: ReadonlyMap<string, TrackedProjection> = new Map();

  /** @throws when two projections have one name */
  constructor(projections: readonly Projection[]) {
    this.#names = new Set(projections.map(({ name }) => name));
    if (this.#names.size < projections.length) throw new Error('two projections have one name');
  }

  /** Nothing was taken up yet. */
  get isEmpty(): boolean {
    return this.#tracked.size === 0;
  }

  all(): Iterable<TrackedProjection> {
    return this.#tracked.values();
  }

  /** @throws for a name that no projection of this runner has */
  get(name: string): TrackedProjection | undefined {
    this.requireKnown(name);
    return this.#tracked.get(name);
  }

  /** @param names of projections; by default, all of them */
  haveReached(position: Position, names: Iterable<string> = this.#names): boolean {
    return [...names].every((name) => this.get(name)?.hasReached(position) === true);
  }

  requireKnown(name: string): void {
    if (!this.#names.has(name)) throw new Error(`no such projection: ${name}`);
  }

  takenUp(views: readonly TrackedProjection[]): void {
    this.#tracked = new Map(views.map((each) => [each.name, each]));
  }

  /** Their rows are lost: from now on readers wait for the rebuild. */
  forget(): void {
    for (const tracked of this.#tracked.values()) {
      tracked.caughtUp = false;
      tracked.complete = false;
    }
  }
}
