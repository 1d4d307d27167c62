import { Inject, Injectable } from '@nestjs/common';
import type { KnownIdentifiers } from '../capabilities/domain/known-identifiers.js';
import type { Advice } from '../capabilities/queries/registration-advice.js';
import { Vocabulary } from '../capabilities/queries/vocabulary.js';
import { hostTenant, type HostedAgent } from '../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../config/tokens.js';
import { ERASED } from '../kernel/event.js';
import type { AgentId } from '../kernel/ids.js';
import { pointerTo } from '../kernel/json.js';
import type { Interaction, Revision } from './domain/interaction.js';
import { unclearEntries, type UnclearEntry } from './domain/unclear-entries.js';

/** Something worth knowing of proposed terms that is no reason to refuse them. */
export interface ContractWarning extends Advice {
  /** JSON Pointer into the request that proposed them. */
  readonly pointer: string;
}

/** Of one proposal; a proposer who mends these is told of the rest. */
const MAX_WARNINGS = 100;

const PROHIBITS =
  'When the terms were proposed, no capability of the hosted party had this action or data value: in ' +
  'force, the entry prohibits every call between the parties for which a contract is asked.';

const DETAILS: Readonly<Record<UnclearEntry['list'], string>> = {
  prohibitedActions: PROHIBITS,
  prohibitedData: PROHIBITS,
  humanApprovalRequirements:
    'When the terms were proposed, no capability of the hosted party had this action or data value: in ' +
    'force, every call under this contract needs an approval.',
};

/** Looks at proposed terms as whoever enforces them will. */
@Injectable()
export class ContractAdvice {
  constructor(
    private readonly vocabulary: Vocabulary,
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
  ) {}

  /** The same whenever it is asked: by what was known when the terms were proposed. */
  warningsOn(
    { parties }: Pick<Interaction, 'parties'>,
    { contract, createdAt }: Revision,
  ): readonly ContractWarning[] {
    if (contract === ERASED) return [];
    const warnings: ContractWarning[] = [];
    const vocabularies = this.#vocabulariesOf(parties);
    const isKnown = (entry: string): boolean =>
      vocabularies.every((known) => known.has(entry, createdAt));
    for (const { list, index } of unclearEntries(contract, isKnown)) {
      if (warnings.length === MAX_WARNINGS) break;
      const pointer = pointerTo(`/contract/${list}`, index);
      warnings.push({ code: 'entry-not-in-vocabulary', pointer, detail: DETAILS[list] });
    }
    return warnings;
  }

  /** Each hosted party understands its own words alone; without one, any word is as good. */
  #vocabulariesOf(parties: readonly AgentId[]): readonly KnownIdentifiers[] {
    const hosted = parties.filter((party) => hostTenant(this.hosted, party) !== null);
    return hosted.length === 0
      ? [this.vocabulary.everywhere()]
      : hosted.map((agentId) => this.vocabulary.of(agentId));
  }
}
