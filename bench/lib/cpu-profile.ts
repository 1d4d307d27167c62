import { readFileSync } from 'node:fs';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** One line of the answer to "where does the time go". */
export interface Share {
  readonly part: string;
  /** Of all time that was not idle, 0 to 1. */
  readonly share: number;
}

/**
 * Splits a V8 CPU profile by who asked for the work: each sample counts for the innermost frame of
 * the stack that `partOf` knows (native code such as crypto or SQLite counts for its caller).
 */
export function splitProfile(
  file: string,
  partOf: (url: string, functionName: string) => string | undefined,
): readonly Share[] {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, number>();
  for (const node of profile.nodes) {
    for (const child of node.children ?? []) parents.set(child, node.id);
  }

  const partOfNode = new Map<number, string>();
  const partFrom = (id: number): string => {
    const known = partOfNode.get(id);
    if (known !== undefined) return known;
    const node = nodes.get(id);
    const own = node && partOf(node.callFrame.url, node.callFrame.functionName);
    const parent = parents.get(id);
    const part = own ?? (parent === undefined ? 'other' : partFrom(parent));
    partOfNode.set(id, part);
    return part;
  };

  const times = new Map<string, number>();
  let total = 0;
  for (const [index, id] of profile.samples.entries()) {
    if (nodes.get(id)?.callFrame.functionName === '(idle)') continue;
    const time = profile.timeDeltas[index] ?? 0;
    total += time;
    const part = partFrom(id);
    times.set(part, (times.get(part) ?? 0) + time);
  }
  return [...times]
    .map(([part, time]) => ({ part, share: time / total }))
    .sort((a, b) => b.share - a.share);
}
