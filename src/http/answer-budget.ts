/** How many bytes of large answers wait at most for clients to take them. */
export interface AnswerLimits {
  readonly perNode: number;
  /** Of all callers of one tenant. */
  readonly perTenant: number;
  /** Of one caller. */
  readonly perCaller: number;
  /** Of all callers without a token. */
  readonly anonymous: number;
  /** Of all callers without a token at one address. */
  readonly perAddress: number;
  /**
   * So large an answer is taken of whoever holds nothing also where the others have taken all that is shared, up to
   * as much again.
   */
  readonly first: number;
}

/** Whose an answer is: a caller's, both by their keys (`countedAs`), or an address's where no token was sent. */
export type AnswerHolder =
  | { readonly kind: 'caller'; readonly tenant: string; readonly key: string }
  | { readonly kind: 'anonymous'; readonly address: string };

/** A part of the budget. */
interface Share {
  readonly name: string;
  readonly limit: number;
}

/**
 * Counts the bytes of answers that are made and not yet taken. Whoever holds nothing gets one answer
 * however large it is while nobody holds anything, so that everything can be read by somebody who reads, and
 * one that is not very large whatever others hold: a few who read nothing shut nobody out.
 */
export class AnswerBudget {
  readonly #limits: AnswerLimits;
  readonly #held = new Map<string, number>();

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** How large an answer may be: `Infinity` where nothing is held. */
  room(holder: AnswerHolder): number {
    const shares = this.#shares(holder);
    const own = shares.at(-1)?.name ?? '';
    const first = this.#held.has(own) ? 0 : this.#limits.first;
    let room = Number.POSITIVE_INFINITY;
    for (const { name, limit } of shares) {
      const held = this.#held.get(name);
      if (held === undefined) continue;
      room = Math.min(room, Math.max(limit - held, Math.min(first, 2 * limit - held), 0));
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

  /** Its own is the last one. */
  #shares(holder: AnswerHolder): readonly Share[] {
    const { perNode, perTenant, perCaller, anonymous, perAddress } = this.#limits;
    const node: Share = { name: 'node', limit: perNode };
    switch (holder.kind) {
      case 'caller':
        return [
          node,
          { name: `tenant ${holder.tenant}`, limit: perTenant },
          { name: `caller ${holder.key}`, limit: perCaller },
        ];
      case 'anonymous':
        return [
          node,
          { name: 'anonymous', limit: anonymous },
          { name: `address ${holder.address}`, limit: perAddress },
        ];
    }
  }
}
