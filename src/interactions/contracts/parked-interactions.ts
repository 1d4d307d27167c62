import type { AgentId } from '../../kernel/ids.js';
import type { ReadModel } from '../../projections/port.js';
import { areParties } from './pairs.js';
import type { PartiesOfStreams } from './parties-of-streams.js';
import { contractsByPair } from './projection.js';

/** With more of them the view as a whole is not to be trusted. */
const MAX_PARKED = 1_000;

/** The interactions of which the view has parked an event: whom they concern. */
export class ParkedInteractions {
  constructor(
    private readonly readModel: Pick<ReadModel, 'unreliableStreams'>,
    private readonly parties: PartiesOfStreams,
  ) {}

  /** Finds out whose they are: to be awaited before {@link concern}. */
  async learn(): Promise<void> {
    const streams = this.#streams();
    if (streams === undefined || streams.size > MAX_PARKED) return;
    await this.parties.learn(streams);
  }

  /** Whether one of them may be between these two; also when that is not known. */
  concern(one: AgentId, other: AgentId): boolean {
    const streams = this.#streams();
    if (streams === undefined || streams.size > MAX_PARKED) return true;
    for (const stream of streams) {
      const parties = this.parties.recall(stream);
      if (parties === undefined || areParties(parties, one, other)) return true;
    }
    return false;
  }

  get areAny(): boolean {
    return this.#streams()?.size !== 0;
  }

  #streams(): ReadonlySet<string> | undefined {
    return this.readModel.unreliableStreams(contractsByPair.name);
  }
}
