import { expect, it } from '@jest/globals';
import { OpenStreams } from '../../src/http/open-streams.js';
import type { Caller } from '../../src/kernel/caller.js';
import type { AgentId } from '../../src/kernel/ids.js';

const LIMITS = { perNode: 20, perTenant: 10, perOwner: 4 };

function caller(tenant: string, principal: string, agent: string | null = null): Caller {
  const none = new Set<never>();
  const speaksFor = agent as AgentId | null;
  return { tenant, principal, agent: speaksFor, client: null, scopes: none, allScopes: none };
}

/** How many more of these callers get one. */
function opened(streams: OpenStreams, callers: readonly (Caller | null)[]): (() => void)[] {
  return callers.flatMap((each) => {
    try {
      return [streams.open(each, new AbortController())];
    } catch {
      return [];
    }
  });
}

const times = <T>(count: number, item: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => item(nth));

it('bounds those of one tenant, whatever callers it has, and leaves the others their part', () => {
  const streams = new OpenStreams(LIMITS);
  const mallory = times(40, (nth) => caller('evil', `mallory-${String(nth % 10)}`));
  const closes = opened(streams, mallory);
  expect(closes).toHaveLength(10);
  expect(
    opened(
      streams,
      times(5, () => caller('good', 'bob')),
    ),
  ).toHaveLength(4);
  expect(
    opened(
      streams,
      times(5, () => null),
    ),
  ).toHaveLength(4);
  for (const close of closes) close();
  expect(opened(streams, mallory)).toHaveLength(10);
});

it('counts those of an agent together, whoever speaks for it', () => {
  const streams = new OpenStreams(LIMITS);
  const speakers = times(8, (nth) => caller('acme', `runtime-${String(nth)}`, 'agent-a'));
  expect(opened(streams, speakers)).toHaveLength(4);
  expect(opened(streams, [caller('acme', 'runtime-0')])).toHaveLength(1);
});
