import { decodeBase64Url } from '../../../kernel/base64url.js';
import type { EvidenceBundle } from '../../../kernel/evidence-bundle.js';
import { conclude, type CheckResult } from '../check-result.js';
import { asErased, lacksTexts, tellsErasure } from '../erased-texts.js';
import { LogReplay } from '../replay/log-replay.js';
import type { ReplayedInteraction } from '../replay/replayed-interaction.js';
import { documentFlaw } from './document.js';
import type { ShownEntry } from './entries.js';
import { standsInLog } from './stands-in-log.js';
import { ownStream } from './needed-streams.js';

export interface ReplayedEntries {
  readonly checks: readonly CheckResult[];
  readonly state: ReplayedInteraction | undefined;
}

/**
 * Everything that follows from the entries, replayed in the order of the log, and the document held
 * against it.
 *
 * @param shown of the streams that are needed
 * @param inLog the checks of whether they stand in the log, which an erasure has to
 */
export function replayEntries(
  bundle: EvidenceBundle,
  shown: readonly ShownEntry[],
  inLog: readonly CheckResult[],
): ReplayedEntries {
  const own = ownStream(bundle);
  const dataKey = bundle.dataKey === null ? undefined : decodeBase64Url(bundle.dataKey);
  const replay = new LogReplay({
    audience: bundle.audience,
    partial: true,
    documents: true,
    dataKey: (stream) => (stream === own ? dataKey : undefined),
  });
  const checks: CheckResult[] = [];
  let erasure: string | null = null;
  for (const { stream, revision, entry } of shown.toSorted(byIndex)) {
    const { index } = entry;
    const found =
      'envelope' in entry
        ? replay.add({ index, envelope: entry.envelope })
        : replay.withhold({ index, stream, revision: entry.revision });
    checks.push(...found);
    const isErasure = 'envelope' in entry && tellsErasure(entry.envelope.type, found);
    const subject = `${stream}@${revision}`;
    if (isErasure && stream === own && standsInLog(inLog, own, subject)) erasure = subject;
  }
  checks.push(...replay.finish());
  const state = replay.interaction(bundle.interactionId);
  checks.push(conclude('document', own, documentFlaw(bundle.document, state, erasure)));
  return {
    checks: checks.map((each) =>
      erasure !== null && lacksTexts(each) ? asErased(each, erasure) : each,
    ),
    state,
  };
}

function byIndex(a: ShownEntry, b: ShownEntry): number {
  return a.entry.index - b.entry.index;
}
