import type { RestingPlace } from '../../../../../src/audit/verify/replay/resting-states.js';

/** A resting place whose contents a test can look at. */
export class RestingMap implements RestingPlace {
  readonly texts = new Map<string, string>();

  get(name: string): string | undefined {
    return this.texts.get(name);
  }

  set(name: string, text: string): void {
    this.texts.set(name, text);
  }

  delete(name: string): void {
    this.texts.delete(name);
  }

  page(after: string, most: number): readonly (readonly [name: string, text: string])[] {
    return [...this.texts]
      .filter(([name]) => name > after)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, most);
  }
}
