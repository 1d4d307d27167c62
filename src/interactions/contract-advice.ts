import { Injectable } from '@nestjs/common';
import type { Advice } from '../capabilities/queries/registration-advice.js';
import { Vocabulary } from '../capabilities/queries/vocabulary.js';
import { ERASED } from '../kernel/event.js';
import { pointerTo } from '../kernel/json.js';
import type { Revision } from './domain/interaction.js';
import { unclearEntries, type UnclearEntry } from './domain/unclear-entries.js';

/** Something worth knowing of proposed terms that is no reason to refuse them. */
export interface ContractWarning extends Advice {
  /** JSON Pointer into the request that proposed them. */
  readonly pointer: string;
}

/** Of one proposal; a proposer who mends these is told of the rest. */
const MAX_WARNINGS = 100;

const PROHIBITS =
  'No capability has this action or data value: in force, the entry prohibits every call between ' +
  'the parties for which a contract is asked.';

const DETAILS: Readonly<Record<UnclearEntry['list'], string>> = {
  prohibitedActions: PROHIBITS,
  prohibitedData: PROHIBITS,
  humanApprovalRequirements:
    'No capability has this action or data value: in force, every call under this contract needs an ' +
    'approval.',
};

/** Looks at proposed terms as whoever enforces them will. */
@Injectable()
export class ContractAdvice {
  constructor(private readonly vocabulary: Vocabulary) {}

  /** The same whenever it is asked: as the vocabulary was when the terms were proposed. */
  warningsOn({ contract, createdAt }: Revision): readonly ContractWarning[] {
    if (contract === ERASED) return [];
    const warnings: ContractWarning[] = [];
    for (const { list, index } of unclearEntries(contract, this.vocabulary.known(createdAt))) {
      if (warnings.length === MAX_WARNINGS) break;
      const pointer = pointerTo(`/contract/${list}`, index);
      warnings.push({ code: 'entry-not-in-vocabulary', pointer, detail: DETAILS[list] });
    }
    return warnings;
  }
}
