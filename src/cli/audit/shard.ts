import type { Verdict } from '../../audit/verify/check-result.js';
import { tellsErasure } from '../../audit/verify/erased-texts.js';
import { subjectOf } from '../../audit/verify/replay/entry.js';
import { LogReplay } from '../../audit/verify/replay/log-replay.js';
import { isEnded } from '../../audit/verify/replay/replayed-interaction.js';
import type { RestingPlace } from '../../audit/verify/replay/resting-states.js';
import { HASH_BYTES } from '../../kernel/merkle.js';
import { linesOf } from './line-blocks.js';
import { leafOf, parseLogLine, type LogLine } from './log-line.js';
import { MissingTexts } from './missing-texts.js';
import { isShared, shardOf } from './shard-of.js';
import {
  JUDGED_ELSEWHERE,
  MAX_FINDINGS,
  MAX_INTERACTIONS,
  type AuditFinding,
  type JudgedLines,
  type ShardAnswers,
  type ShardLines,
  type ShardQuestion,
  type ShardSettings,
} from './shard-protocol.js';
import { stateDifference } from './state-difference.js';
import { TemporaryTables } from './temporary/temporary-tables.js';

const INTERACTION = 'interaction-';

/** One share of an audit: judges its streams, knows the agents and platform keys of all. */
export class Shard {
  readonly #replay: LogReplay;
  readonly #texts: MissingTexts;

  constructor(private readonly settings: ShardSettings) {
    const { audience, documents } = settings;
    const judges = (stream: string): boolean => this.#judges(stream);
    const tables = new TemporaryTables();
    const restingPlace = (kind: string): RestingPlace => tables.table(kind);
    this.#replay = new LogReplay({ audience, documents, judges, restingPlace });
    this.#texts = new MissingTexts(tables.table('gaps'));
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
        return this.interactions(question.from, question.after);
      case 'compare': {
        const state = this.#replay.interaction(question.answer.interactionId);
        return state === undefined ? null : stateDifference(state, question.answer);
      }
    }
  }

  /** Judges lines, which must come in the order of the log, and notes their leaves beside them. */
  judge(dealt: ShardLines): JudgedLines {
    const { lines, indices, leaves } = dealt;
    const block = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    const counts: Record<Verdict, number> = { verified: 0, failed: 0, 'not-checkable': 0 };
    const findings: AuditFinding[] = [];
    let position: string | null = null;
    let nth = -1;
    for (const [begin, end] of linesOf(block)) {
      const index = indices[++nth] ?? -1;
      const line = parseLogLine(block.toString('utf8', begin, end));
      const leaf = line && leafOf(line.envelope);
      if (line === undefined || leaf === undefined || !this.#concerns(line)) {
        return { dealt, counts, findings, position, malformed: index };
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
      if (tellsErasure(envelope.type, results)) this.#texts.erased(stream, subjectOf(envelope));
      if (!this.settings.documents) this.#releaseEnded(stream);
      if (!this.#judges(stream)) {
        indices[nth] = JUDGED_ELSEWHERE;
        continue;
      }
      leaves.set(leaf, nth * HASH_BYTES);
      position = line.position;
    }
    return { dealt, counts, findings, position, malformed: null };
  }

  interactions(from: number, after: string): readonly string[] {
    const ids: string[] = [];
    for (const id of this.#replay.interactionsSince(from, after)) {
      ids.push(id);
      if (ids.length === MAX_INTERACTIONS) break;
    }
    return ids;
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
