/** One variable that keeps the service from starting. */
export interface ConfigFault {
  readonly variable: string;
  readonly detail: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads variables and notes every fault on the way, so that all of them are reported at once. A
 * getter that has noted a fault returns a value that will never be used.
 */
export class EnvironmentReader {
  readonly faults: ConfigFault[] = [];

  constructor(private readonly environment: Environment) {}

  /** The value, undefined when unset or empty. */
  optional(variable: string): string | undefined {
    const value = this.environment[variable];
    return value === undefined || value === '' ? undefined : value;
  }

  required(variable: string, why: string): string {
    const value = this.optional(variable);
    if (value === undefined) this.fault(variable, `is required ${why}`);
    return value ?? '';
  }

  /** Decimal digits only. */
  integer(variable: string, fallback: number, range: readonly [min: number, max: number]): number {
    const text = this.optional(variable);
    if (text === undefined) return fallback;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= range[0] && value <= range[1]) return value;
    this.fault(variable, `must be a whole number from ${range.map(String).join(' to ')}`);
    return fallback;
  }

  /** `1` is on, unset or `0` is off: anything else is a fault, so that no typing error opens a door. */
  flag(variable: string): boolean {
    const text = this.optional(variable);
    if (text === undefined || text === '0') return false;
    if (text !== '1') this.fault(variable, 'must be 1 or 0');
    return text === '1';
  }

  /** A decimal from 0 to 1. */
  fraction(variable: string, fallback: number): number {
    const text = this.optional(variable);
    if (text === undefined) return fallback;
    const value = /^[01](?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (value <= 1) return value;
    this.fault(variable, 'must be a decimal from 0 to 1');
    return fallback;
  }

  /** One of some words; the first when unset. */
  choice<Word extends string>(variable: string, words: readonly [Word, ...Word[]]): Word {
    const text = this.optional(variable);
    const chosen = text === undefined ? words[0] : words.find((word) => word === text);
    if (chosen === undefined) this.fault(variable, `must be one of ${words.join(', ')}`);
    return chosen ?? words[0];
  }

  fault(variable: string, detail: string): void {
    this.faults.push({ variable, detail });
  }
}
