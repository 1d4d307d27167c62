import { describe, expect, it } from '@jest/globals';
import type { KnownIdentifiers } from '../../src/capabilities/domain/known-identifiers.js';
import { ContractAdvice } from '../../src/interactions/contract-advice.js';
import { newestRevision } from '../../src/interactions/domain/revisions.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import type { AgentId } from '../../src/kernel/ids.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { hostedAgent } from '../capabilities/support/capability-node.js';
import { alpha, beta, contract, propose, Scene } from '../support/interaction-fixtures.js';

const asked: Timestamp[] = [];

/** What is known everywhere, and of the words of agents that are hosted. */
function advising(
  hosted: readonly AgentId[],
  own: Partial<Record<AgentId, readonly string[]>> = {},
): ContractAdvice {
  const all = new Set(['reconcile', 'invoices']);
  const everywhere: KnownIdentifiers = {
    has: (value, at) => {
      asked.push(at);
      return all.has(value);
    },
  };
  return new ContractAdvice(
    { of: (agentId) => new Set(own[agentId]), everywhere: () => everywhere },
    hosted.map((agentId) => hostedAgent(agentId)),
  );
}

const advice = advising([]);

function proposed(terms: Partial<Contract>): Scene {
  return Scene.empty.perform(
    propose(alpha, { contract: contract({ prohibitedActions: [], ...terms }) }),
  );
}

const warningsOn = ({ interaction }: Scene, by = advice) =>
  by.warningsOn(interaction, newestRevision(interaction));

describe('warnings on proposed terms', () => {
  it('are none where every entry is known, and of lists that calls are not judged by', () => {
    const scene = proposed({
      prohibitedActions: ['invoices'],
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
    const prohibits = expect.stringContaining('prohibits every call');
    const code = 'entry-not-in-vocabulary';
    expect(warningsOn(scene)).toEqual([
      { code, pointer: '/contract/prohibitedActions/1', detail: prohibits },
      { code, pointer: '/contract/prohibitedActions/2', detail: prohibits },
      { code, pointer: '/contract/prohibitedData/0', detail: prohibits },
      {
        code,
        pointer: '/contract/humanApprovalRequirements/0',
        detail: expect.stringContaining('needs an approval'),
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
    const places = (...given: Parameters<typeof advising>) =>
      warningsOn(scene, advising(...given)).map(({ pointer }) => pointer);
    const [pay, reconcile] = ['/contract/prohibitedActions/0', '/contract/prohibitedData/0'];
    expect(places([], { [one]: ['pay'] })).toEqual([pay]);
    expect(places([one], { [one]: ['pay'] })).toEqual([reconcile]);
    expect(places([one], { [other]: ['pay'] })).toEqual([pay, reconcile]);
    const both = { [one]: ['pay', 'reconcile'], [other]: ['pay'] };
    expect(places([one, other], both)).toEqual([reconcile]);
  });

  it('are bounded, and none once the texts are erased', () => {
    const entries = Array.from({ length: 500 }, (_, n) => `entry ${String(n)}`);
    const scene = proposed({ prohibitedData: entries });
    expect(warningsOn(scene)).toHaveLength(100);
    expect(warningsOn(scene.erased())).toEqual([]);
  });
});
