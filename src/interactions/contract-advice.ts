import { Inject, Injectable } from '@nestjs/common';
import type { KnownIdentifiers } from '../capabilities/domain/known-identifiers.js';
import { CapabilityRegistry } from '../capabilities/queries/capability-registry.js';
import type { Advice } from '../capabilities/queries/registration-advice.js';
import { shownWords } from '../capabilities/queries/shown-words.js';
import { Vocabulary } from '../capabilities/queries/vocabulary.js';
import type { HostedAgent } from '../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../config/tokens.js';
import type { Caller } from '../kernel/caller.js';
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

const UNSEEN =
  'When the terms were proposed, no capability of the hosted party that you may see had this action or ' +
  'data value.';

const PROHIBITS =
  `${UNSEEN} If no other had it either, the entry prohibits, once in force, every call between the ` +
  'parties for which a contract is asked.';

const DETAILS: Readonly<Record<UnclearEntry['list'], string>> = {
  prohibitedActions: PROHIBITS,
  prohibitedData: PROHIBITS,
  humanApprovalRequirements:
    `${UNSEEN} If no other had it either, every call under this contract needs, once it is in force, an ` +
    'approval.',
};

/** What one hosted party understands, and of what the caller may know that it does. */
interface Words {
  readonly known: KnownIdentifiers;
  readonly isShown: (value: string) => boolean;
}

/**
 * Looks at proposed terms as whoever enforces them will, with the eyes of whoever asks: what the
 * manifests say that a caller may not see, no warning and no want of one tells.
 */
@Injectable()
export class ContractAdvice {
  constructor(
    private readonly vocabulary: Vocabulary,
    @Inject(CapabilityRegistry) private readonly registry: Pick<CapabilityRegistry, 'of'>,
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
  ) {}

  /** By what was known when the terms were proposed, of what the caller may see now. */
  warningsOn(
    { parties }: Pick<Interaction, 'parties'>,
    { contract, createdAt }: Revision,
    caller: Caller,
  ): readonly ContractWarning[] {
    if (contract === ERASED) return [];
    const warnings: ContractWarning[] = [];
    let words: readonly Words[] | undefined;
    const isKnown = (entry: string): boolean => {
      if (this.vocabulary.settled().has(entry, createdAt)) return true;
      words ??= this.#wordsOf(parties, caller);
      return words.every(({ known, isShown }) => isShown(entry) && known.has(entry, createdAt));
    };
    for (const { list, index } of unclearEntries(contract, isKnown)) {
      if (warnings.length === MAX_WARNINGS) break;
      const pointer = pointerTo(`/contract/${list}`, index);
      warnings.push({ code: 'entry-not-in-vocabulary', pointer, detail: DETAILS[list] });
    }
    return warnings;
  }

  /** Each hosted party understands its own words alone; without one, any word is as good. */
  #wordsOf(parties: readonly AgentId[], caller: Caller): readonly Words[] {
    const hosted = this.hosted.filter(({ agentId }) => parties.includes(agentId));
    if (hosted.length === 0) {
      const isShown = this.#shownOf(this.hosted, caller);
      return [{ known: this.vocabulary.everywhere(), isShown }];
    }
    return hosted.map(({ agentId, tenant }) => {
      const known = this.vocabulary.of(agentId);
      if (mayReadManifests(caller, agentId, tenant)) return { known, isShown: () => true };
      const neighbours = this.hosted.filter((each) => each.tenant === tenant);
      return { known, isShown: this.#shownOf(neighbours, caller) };
    });
  }

  #shownOf(agents: readonly HostedAgent[], caller: Caller): (value: string) => boolean {
    return shownWords(
      agents.map(({ agentId }) => this.registry.of(agentId)),
      caller,
    );
  }
}

/** The hosted agent itself, and whoever may read all manifests of its tenant. */
function mayReadManifests(caller: Caller, agentId: AgentId, tenant: string): boolean {
  const { agent, scopes } = caller;
  const reads = scopes.has('capabilities:read') || scopes.has('operator:read');
  return caller.tenant === tenant && (agent === agentId || reads);
}
