/** A piece of the vocabulary and its log-probability. */
export type Piece = readonly [text: string, score: number];

/** The first pieces are the unknown one and control symbols: never found in a text. */
const RESERVED_PIECES = 6;
const UNKNOWN = 0;
/** Stands for a space in pieces; every text begins with one. */
const SPACE = '\u2581';

interface Node {
  readonly next: Map<string, Node>;
  /** Index of the piece that ends here. */
  piece: number;
}

const node = (): Node => ({ next: new Map(), piece: -1 });

/**
 * SentencePiece's unigram segmentation (Kudo 2018): the pieces whose log-probabilities sum up best.
 * Ties, and texts that no piece covers, end as in the encoder's reference implementation, since the
 * encoder was trained on what that one made: a later way of equal score wins, a place that nothing
 * reaches counts as score 0, and unknowns in a row are one.
 */
export class Tokenizer {
  readonly #root = node();

  constructor(private readonly pieces: readonly Piece[]) {
    for (let piece = RESERVED_PIECES; piece < pieces.length; piece++) {
      let at = this.#root;
      for (const symbol of pieces[piece]?.[0] ?? '') {
        let next = at.next.get(symbol);
        if (next === undefined) at.next.set(symbol, (next = node()));
        at = next;
      }
      at.piece = piece;
    }
  }

  /** Indices into the vocabulary. @param text cut by the caller: time grows with its length */
  encode(text: string): number[] {
    const normalized = text.normalize('NFKC');
    if (normalized === '') return [];
    const symbols = [...`${SPACE}${normalized.replaceAll(' ', SPACE)}`];
    const size = symbols.length + 1;
    const best = new Float64Array(size);
    const piece = new Int32Array(size);
    const from = Int32Array.from({ length: size }, (_, end) => end - 1);
    for (let start = 0; start < symbols.length; start++) {
      let at = this.#root.next.get(symbols[start] ?? '');
      for (let end = start + 1; at !== undefined; at = at.next.get(symbols[end++] ?? '')) {
        if (at.piece < 0) continue;
        const score = (best[start] ?? 0) + (this.pieces[at.piece]?.[1] ?? 0);
        if (best[end] !== 0 && score < (best[end] ?? 0)) continue;
        best[end] = score;
        piece[end] = at.piece;
        from[end] = start;
      }
    }
    return backwards(piece, from);
  }
}

function backwards(piece: Int32Array, from: Int32Array): number[] {
  const found: number[] = [];
  for (let end = piece.length - 1; end > 0; end = from[end] ?? 0) {
    const index = piece[end] ?? UNKNOWN;
    if (index !== UNKNOWN || found.at(-1) !== UNKNOWN) found.push(index);
  }
  return found.reverse();
}
