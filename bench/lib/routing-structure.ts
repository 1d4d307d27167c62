import type {
  AgentCapabilities,
  CapabilityRegistry,
} from '../../src/capabilities/queries/capability-registry.js';
import { ClassifierFeed } from '../../src/a2a/routing/classifier-feed.js';
import { MessageRouter } from '../../src/a2a/routing/message-router.js';
import type { RoutingSubject } from '../../src/a2a/routing/routing-subject.js';
import type { TextClassifier } from '../../src/a2a/routing/text-classifier.js';
import {
  byId,
  capability,
  FINANCE,
  partner,
} from '../../test/capabilities/support/capabilities.js';
import { quantile } from './statistics.js';

const QUESTIONS = 2_000;

/**
 * The median time in milliseconds in which structure decides among so many skills: every second
 * message by its media type, every other by the skill that the client prefers.
 */
export async function structureP50(skills: number): Promise<number> {
  const capabilities: AgentCapabilities = {
    agentId: FINANCE,
    version: 1,
    all: byId(
      ...Array.from({ length: skills }, (_, i) =>
        capability(`skill-${String(i)}`, {
          visibility: i % 2 === 0 ? 'public' : 'extended',
          skill: { inputModes: ['text/plain', `application/x-${String(i)}`] },
        }),
      ),
    ),
  };
  const router = new MessageRouter({
    classifier: unasked(capabilities),
    model: null,
    fits: () => false,
    threshold: 0.6,
  });
  const caller = partner({});
  const times: number[] = [];
  for (let i = 0; i < QUESTIONS; i++) {
    const wanted = (i * 7) % skills;
    const subject: RoutingSubject = {
      capabilities,
      caller,
      parts:
        i % 2 === 0
          ? [{ raw: 'AA==', mediaType: `application/x-${String(wanted)}` }]
          : [{ text: 'please do what you are there for' }],
      preferredSkill: i % 2 === 0 ? undefined : `skill-${String(wanted)}`,
      answer: '',
      signal: AbortSignal.timeout(60_000),
    };
    const began = performance.now();
    const routed = await router.route(subject);
    times.push(performance.now() - began);
    if (!routed.ok || routed.value.kind !== 'routed') {
      throw new Error(`structure did not decide: ${JSON.stringify(routed)}`);
    }
  }
  return quantile(times, 0.5);
}

/** Structure decides before any text is looked at. */
function unasked(capabilities: AgentCapabilities): ClassifierFeed {
  const refuse = (): never => {
    throw new Error('a text was looked at');
  };
  const classifier: TextClassifier = {
    learn: () => Promise.resolve(),
    classify: refuse,
    warnings: refuse,
    close: () => Promise.resolve(),
  };
  const registry: Pick<CapabilityRegistry, 'of'> = { of: () => capabilities };
  return new ClassifierFeed({ registry, classifier, agents: [], report: refuse });
}
