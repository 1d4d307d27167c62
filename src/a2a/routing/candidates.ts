import { LRUCache } from 'lru-cache';
import type { Capability } from '../../capabilities/domain/capability.js';
import { entitlement } from '../../capabilities/domain/entitlement.js';
import type { AgentCapabilities } from '../../capabilities/queries/capability-registry.js';
import type { Caller } from '../../kernel/caller.js';
import { takesAll } from './media-types.js';

/** What a message of one caller may be for. Everything else does not exist for that caller. */
export interface Candidates {
  /** Those that the caller may use, in the order of their registration. */
  readonly usable: readonly Capability[];
  /** Those that are no more, but of which the caller may be told so. */
  readonly gone: readonly Capability[];
  /**
   * Whether several capabilities of the agent come into question, hidden ones included; but not
   * internal ones, which are nobody's: no message is for them.
   */
  readonly hasRivals: boolean;
  /**
   * Hidden from the caller, and somebody's: what data must not fit that is to be for one of the
   * others. Those without an input schema are left out. Never to be told of.
   */
  readonly hidden: readonly Capability[];
}

function candidatesOf(capabilities: AgentCapabilities, caller: Caller | null): Candidates {
  const usable: Capability[] = [];
  const gone: Capability[] = [];
  const hidden: Capability[] = [];
  for (const capability of capabilities.all.values()) {
    const found = entitlement(capability, caller);
    if (found === 'granted') usable.push(capability);
    else if (found === 'removed') gone.push(capability);
    else if (isRivalByData(capability)) hidden.push(capability);
  }
  return { usable, gone, hidden, hasRivals: severalFit(capabilities, []) };
}

/** What all remembered lists of an agent together may weigh, in words of memory: keys are callers' words. */
const MAX_REMEMBERED = 500_000;
const PER_LIST = 40;

/**
 * Candidates by caller and media types, remembered as long as the agent's capabilities stay the
 * same: thousands of manifests cost a request nothing.
 */
export class CandidateIndex {
  readonly #byVersion = new WeakMap<AgentCapabilities, LRUCache<string, Candidates>>();

  /** The candidates whose input modes hold all of the media types (see `mediaTypesOf`). */
  fitting(
    capabilities: AgentCapabilities,
    caller: Caller | null,
    mediaTypes: readonly string[],
  ): Candidates {
    const key = JSON.stringify([callerKey(caller), mediaTypes]);
    return this.#remembered(capabilities, key, () => {
      const of = this.of(capabilities, caller);
      const usable = of.usable.filter(fits(mediaTypes));
      const gone = of.gone.filter(fits(mediaTypes));
      const hidden = of.hidden.filter(fits(mediaTypes));
      return { usable, gone, hidden, hasRivals: severalFit(capabilities, mediaTypes) };
    });
  }

  /** All candidates of the caller, whatever the media types. */
  of(capabilities: AgentCapabilities, caller: Caller | null): Candidates {
    return this.#remembered(capabilities, JSON.stringify([callerKey(caller)]), () =>
      candidatesOf(capabilities, caller),
    );
  }

  #remembered(capabilities: AgentCapabilities, key: string, make: () => Candidates): Candidates {
    let lists = this.#byVersion.get(capabilities);
    if (lists === undefined) {
      lists = new LRUCache({
        maxSize: MAX_REMEMBERED,
        sizeCalculation: ({ usable, gone, hidden }, { length }) =>
          PER_LIST + usable.length + gone.length + hidden.length + Math.ceil(length / 8),
      });
      this.#byVersion.set(capabilities, lists);
    }
    let candidates = lists.get(key);
    if (candidates === undefined) {
      candidates = make();
      lists.set(key, candidates);
    }
    return candidates;
  }
}

/** A tombstone that is not for the caller yields to what the caller may use, as all tombstones do. */
function isRivalByData({ manifest }: Capability): boolean {
  const { visibility, state, directInvoke } = manifest;
  return visibility !== 'internal' && state !== 'removed' && directInvoke !== null;
}

/** Is more than one capability of the agent that is anybody's for these media types? */
function severalFit({ all }: AgentCapabilities, mediaTypes: readonly string[]): boolean {
  let count = 0;
  for (const { manifest } of all.values()) {
    if (manifest.visibility === 'internal') continue;
    if (takesAll(manifest.skill.inputModes, mediaTypes) && ++count > 1) return true;
  }
  return false;
}

function fits(mediaTypes: readonly string[]): (capability: Capability) => boolean {
  return ({ manifest }) => takesAll(manifest.skill.inputModes, mediaTypes);
}

/** All that `entitlement` looks at. */
function callerKey(caller: Caller | null): unknown {
  return caller && [caller.tenant, caller.agent, [...caller.allScopes].sort()];
}
