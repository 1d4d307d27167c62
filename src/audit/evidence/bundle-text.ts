import { encodeBase64Url } from '../../kernel/base64url.js';
import {
  EVIDENCE_BUNDLE,
  type ConsistencyEvidence,
  type EvidenceBundle,
} from '../../kernel/evidence-bundle.js';

/** All of a bundle but its events. */
export type BundleFrame = Pick<
  EvidenceBundle,
  'interactionId' | 'audience' | 'checkpoint' | 'document'
> & {
  readonly consistency: ConsistencyEvidence | null;
  /** 32 bytes. */
  readonly dataKey: Uint8Array | null;
};

/** One stream of the bundle: the JSON texts of its entries. */
export interface BundleStream {
  readonly name: string;
  readonly entries: AsyncIterable<string>;
}

/** Characters that are worth a chunk of their own. */
const CHUNK_CHARACTERS = 16 * 1024;

/**
 * The text of an `EvidenceBundle`, piece by piece: a party's stream may be longer than memory should
 * hold, and each is read only when its turn comes.
 */
export async function* bundleText(
  frame: BundleFrame,
  streams: AsyncIterable<BundleStream>,
): AsyncGenerator<string, void> {
  const { interactionId, audience, checkpoint, consistency, document, dataKey } = frame;
  const head = { bundle: EVIDENCE_BUNDLE, version: 1, interactionId, audience };
  let text = `${JSON.stringify({ ...head, checkpoint, consistency }).slice(0, -1)},"streams":{`;
  let isFirstStream = true;
  for await (const { name, entries } of streams) {
    text += `${isFirstStream ? '' : ','}${JSON.stringify(name)}:[`;
    isFirstStream = false;
    let isFirstEntry = true;
    for await (const entry of entries) {
      text += isFirstEntry ? `\n${entry}` : `,\n${entry}`;
      isFirstEntry = false;
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
    text += ']';
  }
  const key = dataKey === null ? null : encodeBase64Url(dataKey);
  const tail = JSON.stringify({ document, dataKey: key }).slice(1);
  yield `${text}},\n${tail}\n`;
}
