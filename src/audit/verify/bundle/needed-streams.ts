import type { EvidenceBundle, EvidenceEntry } from '../../../kernel/evidence-bundle.js';
import { parseAgentId } from '../../../kernel/ids.js';
import { MAX_PARTIES } from '../limits.js';
import { isRecord } from '../replay/shapes.js';
import { entriesOf } from './entries.js';

const PLATFORM_KEYS = 'platform-keys';

/** Of the interaction itself. */
export function ownStream({ interactionId }: EvidenceBundle): string {
  return `interaction-${interactionId}`;
}

/** The interaction, the agent of each party, and the platform's keys, in this order. */
export function neededStreams(bundle: EvidenceBundle): readonly string[] {
  const { streams } = bundle;
  const own = ownStream(bundle);
  const parties = partiesOf(entriesOf(streams, own));
  // Without its first event nobody knows whose agents it needs: then any agent may be one of them.
  const agents =
    parties?.map((id) => `agent-${id}`) ??
    Object.keys(streams).filter((stream) => stream.startsWith('agent-'));
  return [own, ...agents, PLATFORM_KEYS];
}

/** Whom the first event names; undefined when it is not there or cannot be read. */
function partiesOf(entries: readonly EvidenceEntry[] | undefined): readonly string[] | undefined {
  const first = entries?.[0];
  if (first === undefined || !('envelope' in first)) return undefined;
  const data: unknown = first.envelope.data;
  const parties = isRecord(data) ? data['parties'] : undefined;
  if (!Array.isArray(parties)) return undefined;
  const ids = parties.filter((id): id is string => typeof id === 'string' && isAgentId(id));
  return [...new Set(ids)].slice(0, MAX_PARTIES);
}

function isAgentId(id: string): boolean {
  return parseAgentId(id) !== undefined;
}
