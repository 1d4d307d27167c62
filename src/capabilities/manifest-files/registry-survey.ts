import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../../config/tokens.js';
import type { EventStore } from '../../event-store/port.js';
import { EVENT_STORE } from '../../event-store/tokens.js';
import { logReport } from '../../http/fault-log.js';
import type { AgentId } from '../../kernel/ids.js';
import type { ReadModel } from '../../projections/port.js';
import { READ_MODEL } from '../../projections/tokens.js';
import { RegistrationAdvice } from '../queries/registration-advice.js';
import { completeViews } from './complete-views.js';

/** Lines of one agent; a whole fleet without handlers is told by its first. */
const MAX_LINES = 100;

/**
 * Looks once, when the node starts, at all capabilities of the hosted agents, and logs what is worth
 * knowing of each: in the background, since the classifier may have much to learn first.
 */
@Injectable()
export class RegistrySurvey implements OnModuleDestroy {
  #isOver = false;

  constructor(
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    private readonly advice: RegistrationAdvice,
  ) {}

  begin(): void {
    void this.run().catch((error: unknown) => this.#couldNotLook({ error }));
  }

  onModuleDestroy(): void {
    this.#isOver = true;
  }

  #couldNotLook(why: Readonly<Record<string, unknown>>): void {
    if (!this.#isOver) logReport('the capabilities could not be looked at', why);
  }

  /** Resolves when everything is told, or that views which are not complete tell nothing. */
  async run(): Promise<void> {
    if (this.hosted.length === 0) return;
    const complete = await completeViews(this.store, this.readModel);
    if (!complete.ok) {
      this.#couldNotLook({ fault: complete.error });
      return;
    }
    await Promise.all(this.hosted.map(({ agentId }) => this.#tell(agentId)));
  }

  async #tell(agentId: AgentId): Promise<void> {
    let count = 0;
    for await (const { skillId, code, detail } of this.advice.survey(agentId)) {
      if (this.#isOver) return;
      // However many lines there are of single ones.
      if (skillId === null) {
        logReport('the capabilities of an agent have a warning', { agentId, code, detail });
        continue;
      }
      count++;
      if (count > MAX_LINES) continue;
      logReport('a capability has a warning', { agentId, skillId, code, detail });
    }
    const more = count - MAX_LINES;
    if (more > 0) logReport('capabilities have more warnings', { agentId, more });
  }
}
