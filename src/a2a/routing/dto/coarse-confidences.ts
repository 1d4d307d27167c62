import type { Plain } from '../../../http/plain.js';
import type { ExplanationDocument } from './explanation-document.js';

/**
 * An explanation for whoever asks about themselves. How unsure a text is depends on all skills of the
 * agent, so that small differences would tell, word for word, what the others are about.
 */
export function withCoarseConfidences(
  document: Plain<ExplanationDocument>,
): Plain<ExplanationDocument> {
  const text = JSON.stringify(document, (member, value: unknown) =>
    member === 'confidence' && typeof value === 'number' ? coarse(value) : value,
  );
  return JSON.parse(text) as Plain<ExplanationDocument>;
}

/** In tenths; what is rather not so is not so. */
function coarse(confidence: number): number {
  return confidence < 0.5 ? 0 : Math.round(confidence * 10) / 10;
}
