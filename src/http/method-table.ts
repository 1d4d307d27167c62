import type { FastifyInstance } from 'fastify';

/** One method of one address pattern (`/v1/agents/:agentId`). */
export interface Route {
  readonly method: string;
  readonly url: string;
}

/** Which methods an address supports: what a 405 says in `Allow` (RFC 9110 section 15.5.6). */
export class MethodTable {
  readonly #methodsOf = new Map<string, Set<string>>();

  /** Must be called before the first route is registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methodsOf.get(url) ?? new Set();
      for (const each of [method].flat()) methods.add(each);
      this.#methodsOf.set(url, methods);
    });
  }

  routes(): readonly Route[] {
    return [...this.#methodsOf].flatMap(([url, methods]) =>
      [...methods].map((method) => ({ method, url })),
    );
  }

  /** The methods of the routes that match a path (without query), in order; empty for no route. */
  allowed(path: string): readonly string[] {
    const segments = path.split('/');
    const found = new Set<string>();
    for (const [url, methods] of this.#methodsOf) {
      if (matches(url.split('/'), segments)) for (const method of methods) found.add(method);
    }
    return [...found].sort();
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.at(-1) === '*') {
    return pattern.slice(0, -1).every((part, index) => part === segments[index]);
  }
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) =>
      // `::` is the router's spelling of a colon.
      part.startsWith(':')
        ? segments[index] !== ''
        : part.replaceAll('::', ':') === segments[index],
    )
  );
}
