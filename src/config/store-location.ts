/** Where the log can be. */
export type EventStoreLocation = SqliteLocation | PostgresLocation | EventStoreDbLocation;

/** Where keys and tasks can be: with an engine that deletes for good. */
export type ForgettingLocation = SqliteLocation | PostgresLocation;

export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/** A secret: the address may hold a password. `placeOf` says it without. */
export interface PostgresLocation {
  readonly engine: 'postgres';
  readonly url: string;
}

/** A secret, as above. */
export interface EventStoreDbLocation {
  readonly engine: 'eventstoredb';
  /** `esdb://…` or `kurrentdb://…`, each also with `+discover`. */
  readonly connectionString: string;
}

export type Engine = EventStoreLocation['engine'];

/** Where a store with one of these engines is. */
export type LocationOf<E extends Engine> = Extract<EventStoreLocation, { readonly engine: E }>;

/** Says where a store is, for messages: never with a user or a password. */
export function placeOf(location: EventStoreLocation): string {
  switch (location.engine) {
    case 'sqlite':
      return `sqlite:${location.path}`;
    case 'postgres': {
      const url = new URL(location.url);
      const host = url.host === '' ? (url.searchParams.get('host') ?? '') : url.host;
      return `postgres://${host}${url.pathname}`;
    }
    case 'eventstoredb':
      return location.connectionString.replace(/\/\/.*@/, '//').replace(/[/?]*\?.*$/, '');
  }
}
