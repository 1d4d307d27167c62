import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import { entitlement } from '../../src/capabilities/domain/entitlement.js';
import type { KnownIdentifiers } from '../../src/capabilities/domain/known-identifiers.js';
import { ContractAdvice } from '../../src/interactions/contract-advice.js';
import { newestRevision } from '../../src/interactions/domain/revisions.js';
import type { Caller } from '../../src/kernel/caller.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import type { AgentId } from '../../src/kernel/ids.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { byId, capability, FINANCE, partner } from '../capabilities/support/capabilities.js';
import { hostedAgent } from '../capabilities/support/capability-node.js';
import { TENANT } from '../capabilities/support/given-when-then.js';
import { someCallers, someCapabilities } from '../capabilities/support/random-capabilities.js';
import { alpha, beta, contract, propose, Scene } from '../support/interaction-fixtures.js';
import { RUNS } from '../support/property-runs.js';

const asked: Timestamp[] = [];

const noting = (words: readonly string[]): KnownIdentifiers => ({
  has: (value, at) => {
    asked.push(at);
    return words.includes(value);
  },
});

type Registered = Partial<Record<AgentId, readonly Capability[]>>;

const wordsOf = (capabilities: readonly Capability[] = []): readonly string[] =>
  capabilities.flatMap(({ manifest: { action, data } }) =>
    action === null ? data : [action, ...data],
  );

/** Over what agents have registered; the vocabulary holds all of it, and `export`, which is set. */
function advising(registered: Registered, hosted: readonly AgentId[]): ContractAdvice {
  const everything = Object.values(registered).flatMap((each) => wordsOf(each));
  return new ContractAdvice(
    {
      of: (agentId) => noting(wordsOf(registered[agentId])),
      everywhere: () => noting(everything),
      settled: () => new Set(['export']),
    },
    { of: (agentId) => ({ agentId, version: 1, all: byId(...(registered[agentId] ?? [])) }) },
    // Neighbours of one tenant understand each other's words: here each has its own.
    hosted.map((agentId) => hostedAgent(agentId, { tenant: tenantOf(agentId) })),
  );
}

const tenantOf = (agentId: AgentId): string => (agentId === FINANCE ? TENANT : `of ${agentId}`);

const acting = (...words: readonly string[]): readonly Capability[] =>
  words.map((action) => capability(action, { action }));

const advice = advising({ [FINANCE]: acting('reconcile', 'invoices') }, [FINANCE]);

function proposed(terms: Partial<Contract>): Scene {
  return Scene.empty.perform(
    propose(alpha, { contract: contract({ prohibitedActions: [], ...terms }) }),
  );
}

const warningsOn = ({ interaction }: Scene, by = advice, caller: Caller = partner()) =>
  by.warningsOn(interaction, newestRevision(interaction), caller);

const places = (...given: Parameters<typeof warningsOn>) =>
  warningsOn(...given).map(({ pointer }) => pointer);

describe('warnings on proposed terms', () => {
  it('are none where every entry is known, and of lists that calls are not judged by', () => {
    const scene = proposed({
      prohibitedActions: ['invoices', 'export'],
      prohibitedData: ['reconcile'],
      humanApprovalRequirements: ['reconcile', 'invoices'],
      allowedActions: ['whatever'],
      allowedData: ['whatever'],
      delegationRules: ['whatever'],
    });
    expect(warningsOn(scene)).toEqual([]);
  });

  it('name each entry that is not, by its place', () => {
    const scene = proposed({
      prohibitedActions: ['reconcile', 'Do not publish', 'Reconcile'],
      prohibitedData: ['credentials'],
      humanApprovalRequirements: ['anything above 1 000 EUR'],
    });
    const prohibits = expect.stringContaining('every call between the parties');
    const code = 'entry-not-in-vocabulary';
    expect(warningsOn(scene)).toEqual([
      { code, pointer: '/contract/prohibitedActions/1', detail: prohibits },
      { code, pointer: '/contract/prohibitedActions/2', detail: prohibits },
      { code, pointer: '/contract/prohibitedData/0', detail: prohibits },
      {
        code,
        pointer: '/contract/humanApprovalRequirements/0',
        detail: expect.stringContaining('every call under this contract'),
      },
    ]);
  });

  it('are judged by what was known when the terms were proposed', () => {
    const scene = proposed({ prohibitedActions: ['reconcile'] });
    asked.length = 0;
    warningsOn(scene);
    expect(asked).toEqual([newestRevision(scene.interaction).createdAt]);
  });

  it('go by the words of each hosted party, whatever others know', () => {
    const { agentId: one } = alpha;
    const { agentId: other } = beta;
    const scene = proposed({ prohibitedActions: ['pay'], prohibitedData: ['reconcile'] });
    const by = (...given: Parameters<typeof advising>) => places(scene, advising(...given));
    const [pay, reconcile] = ['/contract/prohibitedActions/0', '/contract/prohibitedData/0'];
    expect(by({ [FINANCE]: acting('reconcile') }, [FINANCE])).toEqual([pay]);
    expect(by({ [one]: acting('pay') }, [one, FINANCE])).toEqual([reconcile]);
    expect(by({ [other]: acting('pay') }, [one])).toEqual([pay, reconcile]);
    const both = { [one]: acting('pay', 'reconcile'), [other]: acting('pay') };
    expect(by(both, [one, other])).toEqual([reconcile]);
  });

  it('tell nothing of capabilities that do not exist for whoever asks', () => {
    const { agentId: host } = alpha;
    const words = ['purge', 'salaries', 'trial', 'extra', 'gone', 'open'];
    const registered = {
      [host]: [
        capability('hidden', { visibility: 'internal', action: 'purge', data: ['salaries'] }),
        capability('trial', { state: 'preview', action: 'trial' }),
        capability('extra', { visibility: 'extended', requiresScopes: ['x'], action: 'extra' }),
        capability('gone', { state: 'removed', action: 'gone' }),
        capability('open', { action: 'open' }),
      ],
    };
    const scene = proposed({ prohibitedActions: words });
    const untold = (caller: Caller): readonly string[] => {
      const warned = places(scene, advising(registered, [host]), caller);
      return words.filter((_, n) => !warned.includes(`/contract/prohibitedActions/${n}`));
    };
    expect(untold(partner())).toEqual(['gone', 'open']);
    expect(untold(partner({ scopes: ['x'] }))).toEqual(['extra', 'gone', 'open']);
    const [own, reader] = [partner({ agent: host }), partner()];
    expect(untold({ ...own, tenant: tenantOf(host) })).toEqual(words);
    const reading = { ...reader, scopes: new Set(['capabilities:read'] as const) };
    expect(untold({ ...reading, tenant: tenantOf(host) })).toEqual(words);
    // Of another tenant, neither is worth anything.
    expect(untold(own)).toEqual(['gone', 'open']);
    expect(untold(reading)).toEqual(['gone', 'open']);
  });

  it('are the same with and without what is hidden from the caller', () => {
    const words = ['a', 'b', 'c', 'd'];
    const registries = someCapabilities().chain((all) =>
      fc
        .array(fc.tuple(fc.constantFrom(...words), fc.subarray(words)), {
          minLength: all.length,
          maxLength: all.length,
        })
        .map((worded) =>
          all.map((each, n): Capability => {
            const [action, data] = worded[n]!;
            return { ...each, manifest: { ...each.manifest, action, data } };
          }),
        ),
    );
    const scene = proposed({ prohibitedActions: words, humanApprovalRequirements: words });
    fc.assert(
      fc.property(registries, someCallers(), fc.boolean(), (all, callers, isParty) => {
        const host = isParty ? alpha.agentId : FINANCE;
        for (const caller of [partner(), ...callers]) {
          const shown = all.filter((each) => entitlement(each, caller) !== 'none');
          const by = (some: readonly Capability[]) =>
            places(scene, advising({ [host]: some }, [host]), caller);
          expect(by(all)).toEqual(by(shown));
        }
      }),
      RUNS,
    );
  });

  it('are bounded, and none once the texts are erased', () => {
    const entries = Array.from({ length: 500 }, (_, n) => `entry ${String(n)}`);
    const scene = proposed({ prohibitedData: entries });
    expect(warningsOn(scene)).toHaveLength(100);
    expect(warningsOn(scene.erased())).toEqual([]);
  });
});
