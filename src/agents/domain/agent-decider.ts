import type { Decider } from '../../kernel/event.js';
import type { AgentCommand } from './commands.js';
import type { AgentContext } from './context.js';
import { decideAgent } from './decide.js';
import type { AgentEvent } from './events.js';
import { evolveAgent, type AgentState } from './evolve.js';

/** The rules of one agent's life, from registration to retirement. */
export const agentDecider: Decider<AgentState, AgentCommand, AgentEvent, AgentContext> = {
  initial: null,
  evolve: evolveAgent,
  decide: decideAgent,
};
