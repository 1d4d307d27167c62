import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { validateContract, validateInteraction } from '../../src/kernel/wire-schema.js';
import { judgeRevision } from '../support/judge-revision.js';

type Mutation = ['set', string, unknown] | ['raw', string, string] | ['drop', string];
interface Base {
  readonly kind: 'interaction' | 'contract' | 'revision';
  readonly document: unknown;
}
type Case = readonly [base: number, verdict: 0 | 1, ...mutations: Mutation[]];

const { bases, cases } = readVerdicts();
const validators = {
  interaction: validateInteraction,
  contract: validateContract,
  revision: judgeRevision,
};

describe('the wire schemas accept exactly what the published v0.1 schema accepts', () => {
  it('has enough documents of each verdict and kind to mean something', () => {
    for (const kind of ['interaction', 'contract', 'revision'] as const) {
      const ofKind = cases.filter(([base]) => bases[base]?.kind === kind);
      expect(ofKind.filter(([, verdict]) => verdict === 1).length).toBeGreaterThan(300);
      expect(ofKind.filter(([, verdict]) => verdict === 0).length).toBeGreaterThan(1500);
    }
  });

  it.each(bases.map(({ kind }, base) => [kind, base] as const))(
    'agrees on every %s made from base %i',
    (kind, base) => {
      const document = bases[base]?.document;
      const differing = cases.filter(
        ([ofBase, verdict, ...mutations]) =>
          ofBase === base && validators[kind](mutate(document, mutations)).ok !== (verdict === 1),
      );
      expect(differing).toEqual([]);
    },
  );

  it('fills in no defaults and changes nothing', () => {
    for (const { kind, document } of bases) {
      const before = JSON.stringify(document);
      const judged = validators[kind](document);
      expect(judged.ok).toBe(true);
      expect(JSON.stringify(document)).toBe(before);
      if (judged.ok) expect(judged.value).toBe(document);
    }
  });
});

function readVerdicts(): { bases: readonly Base[]; cases: readonly Case[] } {
  const file = new URL('./fixtures/wire-verdicts.ndjson', import.meta.url);
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Base | Case);
  return {
    bases: lines.filter((line): line is Base => !Array.isArray(line)),
    cases: lines.filter((line): line is Case => Array.isArray(line)),
  };
}

function mutate(base: unknown, mutations: readonly Mutation[]): unknown {
  let document = copy(base);
  for (const mutation of mutations) {
    const [kind, pointer] = mutation;
    const value: unknown =
      kind === 'raw' ? JSON.parse(mutation[2]) : kind === 'set' ? copy(mutation[2]) : undefined;
    const tokens = pointer.split('/').slice(1).map(unescapeToken);
    const last = tokens.pop();
    if (last === undefined) document = value;
    else change(find(document, tokens), kind, last, value);
  }
  return document;
}

const copy = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function find(document: unknown, tokens: readonly string[]): unknown {
  let at = document;
  for (const token of tokens) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, token)) return undefined;
    at = (at as Record<string, unknown>)[token];
  }
  return at;
}

function change(at: unknown, kind: Mutation[0], member: string, value: unknown): void {
  if (typeof at !== 'object' || at === null) return;
  if (Array.isArray(at)) {
    if (kind === 'drop') at.splice(Number(member), 1);
    else if (Number(member) >= at.length) at.push(value);
    else at[Number(member)] = value;
  } else if (kind === 'drop') Reflect.deleteProperty(at, member);
  else {
    // Defined, not assigned: `__proto__` is to be an own member, as JSON.parse makes it.
    Object.defineProperty(at, member, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}
