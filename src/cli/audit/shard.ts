import type { Verdict } from '../../audit/verify/check-result.js';
import { LogReplay } from '../../audit/verify/replay/log-replay.js';
import { isEnded } from '../../audit/verify/replay/replayed-interaction.js';
import { HASH_BYTES } from '../../kernel/merkle.js';
import { linesOf } from './line-blocks.js';
import { leafOf, parseLogLine, type LogLine } from './log-line.js';
import { MissingTexts, tellsErasure } from './missing-texts.js';
import { isShared, shardOf } from './routing.js';
import {
  MAX_FINDINGS,
  type Finding,
  type JudgedLines,
  type ShardAnswers,
  type ShardLines,
  type ShardQuestion,
  type ShardSettings,
} from './shard-protocol.js';
import { stateDifference } from './state-difference.js';

const INTERACTION = 'interaction-';

/** One share of an audit: judges its streams, knows the agents and platform keys of all. */
export class Shard {
  readonly #replay: LogReplay;
  readonly #texts = new MissingTexts();

  constructor(private readonly settings: ShardSettings) {
    const { audience, documents } = settings;
    const judges = (stream: string): boolean => this.#judges(stream);
    this.#replay = new LogReplay({ audience, documents, judges });
  }

  answer(question: ShardQuestion): ShardAnswers[ShardQuestion['ask']] {
    switch (question.ask) {
      case 'judge':
        return this.judge(question.lines);
      case 'finish':
        return this.#replay.finish();
      case 'text-gaps':
        return this.#texts.told();
      case 'interactions':
        return this.interactions(question.from);
      case 'compare': {
        const state = this.#replay.interaction(question.answer.interactionId);
        return state === undefined ? null : stateDifference(state, question.answer);
      }
    }
  }

  /** Judges lines, which must come in the order of the log. */
  judge({ lines, indices }: ShardLines): JudgedLines {
    const block = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    const judged: number[] = [];
    const leaves: Uint8Array[] = [];
    const counts: Record<Verdict, number> = { verified: 0, failed: 0, 'not-checkable': 0 };
    const findings: Finding[] = [];
    let position: string | null = null;
    let nth = 0;
    for (const [begin, end] of linesOf(block)) {
      const index = indices[nth++] ?? -1;
      const line = parseLogLine(block.toString('utf8', begin, end));
      const leaf = line && leafOf(line.envelope);
      if (line === undefined || leaf === undefined || !this.#concerns(line)) {
        return { ...packed(judged, leaves), counts, findings, position, malformed: index };
      }
      const { envelope, texts } = line;
      const { stream } = envelope;
      const results = this.#replay.add({ index, envelope, texts });
      for (const result of results) {
        if (stream.startsWith(INTERACTION) && this.#texts.take(stream, { index, result })) continue;
        const nthOfKind = ++counts[result.result];
        const isTold = result.result !== 'verified' && nthOfKind <= MAX_FINDINGS;
        if (isTold) findings.push({ index, result });
      }
      if (tellsErasure(envelope.type, results)) this.#texts.erased(stream);
      if (!this.settings.documents) this.#releaseEnded(stream);
      if (!this.#judges(stream)) continue;
      judged.push(index);
      leaves.push(leaf);
      position = line.position;
    }
    return { ...packed(judged, leaves), counts, findings, position, malformed: null };
  }

  interactions(from: number): readonly string[] {
    return [...this.#replay.interactionIds()].filter(
      (id) => (this.#replay.interaction(id)?.index ?? -1) >= from,
    );
  }

  /** A line that a guess has led astray is none of the form that the service writes. */
  #concerns({ audience, envelope }: LogLine): boolean {
    const { stream } = envelope;
    return audience === this.settings.audience && (isShared(stream) || this.#judges(stream));
  }

  #judges(stream: string): boolean {
    return shardOf(stream, this.settings.shards) === this.settings.shard;
  }

  /** Of most of what a long log holds only the end matters. */
  #releaseEnded(stream: string): void {
    if (!stream.startsWith(INTERACTION)) return;
    const id = stream.slice(INTERACTION.length);
    const state = this.#replay.interaction(id);
    if (state !== undefined && isEnded(state)) this.#replay.release(id);
  }
}

function packed(
  indices: readonly number[],
  leaves: readonly Uint8Array[],
): Pick<JudgedLines, 'indices' | 'leaves'> {
  const bytes = new Uint8Array(leaves.length * HASH_BYTES);
  leaves.forEach((leaf, nth) => {
    bytes.set(leaf, nth * HASH_BYTES);
  });
  return { indices: Float64Array.from(indices), leaves: bytes };
}
