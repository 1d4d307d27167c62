/** How many bytes of large answers wait at most for clients to take them. */
export interface AnswerLimits {
  readonly perNode: number;
  /** Of one caller. */
  readonly perCaller: number;
  /** Of all callers without a token. */
  readonly anonymous: number;
  /** Of all callers without a token at one address. */
  readonly perAddress: number;
}

/** Whose an answer is: a caller by its key (`ownerKey`), or an address where no token was sent. */
export type AnswerHolder =
  | { readonly kind: 'caller'; readonly key: string }
  | { readonly kind: 'anonymous'; readonly address: string };

/** A part of the budget. */
interface Share {
  readonly name: string;
  readonly limit: number;
}

/**
 * Counts the bytes of answers that are made and not yet taken. Whoever holds nothing gets one answer
 * however large it is, so that everything can be read by somebody who reads.
 */
export class AnswerBudget {
  readonly #limits: AnswerLimits;
  readonly #held = new Map<string, number>();

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** How large an answer may be: `Infinity` where nothing is held. */
  room(holder: AnswerHolder): number {
    let room = Number.POSITIVE_INFINITY;
    for (const { name, limit } of this.#shares(holder)) {
      const held = this.#held.get(name);
      if (held !== undefined) room = Math.min(room, Math.max(limit - held, 0));
    }
    return room;
  }

  /** @returns to be called once, when the client has the answer or is gone; undefined without room */
  hold(holder: AnswerHolder, bytes: number): (() => void) | undefined {
    if (bytes > this.room(holder)) return undefined;
    const shares = this.#shares(holder);
    for (const { name } of shares) this.#held.set(name, (this.#held.get(name) ?? 0) + bytes);
    return () => {
      for (const { name } of shares) {
        const left = (this.#held.get(name) ?? bytes) - bytes;
        if (left === 0) this.#held.delete(name);
        else this.#held.set(name, left);
      }
    };
  }

  #shares(holder: AnswerHolder): readonly Share[] {
    const { perNode, perCaller, anonymous, perAddress } = this.#limits;
    const node: Share = { name: 'node', limit: perNode };
    switch (holder.kind) {
      case 'caller':
        return [node, { name: `caller ${holder.key}`, limit: perCaller }];
      case 'anonymous':
        return [
          node,
          { name: 'anonymous', limit: anonymous },
          { name: `address ${holder.address}`, limit: perAddress },
        ];
    }
  }
}
