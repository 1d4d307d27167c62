import { describe, expect, it } from '@jest/globals';
import { ContractAdvice } from '../../src/interactions/contract-advice.js';
import { newestRevision } from '../../src/interactions/domain/revisions.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';
import { alpha, contract, propose, Scene } from '../support/interaction-fixtures.js';

const asked: (Timestamp | undefined)[] = [];

const advice = new ContractAdvice({
  known: (moment) => {
    asked.push(moment);
    return new Set(['reconcile', 'invoices']);
  },
});

function proposed(terms: Partial<Contract>): Scene {
  return Scene.empty.perform(
    propose(alpha, { contract: contract({ prohibitedActions: [], ...terms }) }),
  );
}

const warningsOn = (scene: Scene) => advice.warningsOn(newestRevision(scene.interaction));

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
    const scene = proposed({});
    asked.length = 0;
    warningsOn(scene);
    expect(asked).toEqual([newestRevision(scene.interaction).createdAt]);
  });

  it('are bounded, and none once the texts are erased', () => {
    const entries = Array.from({ length: 500 }, (_, n) => `entry ${String(n)}`);
    const scene = proposed({ prohibitedData: entries });
    expect(warningsOn(scene)).toHaveLength(100);
    expect(warningsOn(scene.erased())).toEqual([]);
  });
});
