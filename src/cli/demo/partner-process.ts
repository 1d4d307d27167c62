import { once } from 'node:events';
import { DemoAgent } from './demo-agent.js';
import { DemoClient } from './demo-client.js';
import { DirectCaller } from './direct-caller.js';
import { PARTNER } from './partner-contract.js';
import type { PartnerBriefing, PartnerSays, Wish } from './partner-link.js';
import { playPartner } from './partner-story.js';

/** The partner's agent in a process of its own: it talks to the service, and tells its parent of it. */
process.once('disconnect', () => {
  process.exit(1);
});

const [{ baseUrl, token }] = (await once(process, 'message')) as [PartnerBriefing];
try {
  const agent = new DemoAgent(PARTNER, new DemoClient(baseUrl, baseUrl), token);
  const caller = await DirectCaller.meet(baseUrl, token);
  const counterpart = { accept: ask('accept'), approve: ask('approve') };
  await playPartner({ agent, caller, counterpart }, (line) => {
    tell({ kind: 'line', line });
  });
  tell({ kind: 'done' });
} catch (error) {
  tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
}

function tell(said: PartnerSays): void {
  process.send?.(said, undefined, undefined, (error) => {
    // Nobody listens any more.
    if (error !== null) process.exit(1);
  });
}

/** Asks the parent for something, and waits until it is done. */
function ask(wish: Wish): (id: string) => Promise<void> {
  return async (id) => {
    const answered = once(process, 'message');
    tell({ kind: 'asks', wish, id });
    await answered;
  };
}
