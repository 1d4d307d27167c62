/**
 * Answers that are shared among all who ask the same in one turn of the event loop. Within one turn
 * nothing reaches the process from outside, so no answer is older than its question.
 */
export class OncePerTurn<T> {
  readonly #answers = new Map<string, Promise<T>>();

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = ask();
    this.#answers.set(key, answer);
    // After all microtasks, before anything else arrives.
    process.nextTick(() => this.#answers.delete(key));
    return answer;
  }
}
