import type { Manifest } from './manifest.js';

/** The type by which a backend says that it is another agent. */
const AGENT_TYPE = 'a2a';

/** The agent to which a capability's calls are passed on; undefined where none is. */
export interface Delegate {
  /** By which cards and delegation rules know it; null: it has none, so that no rule names it. */
  readonly name: string | null;
}

/** Told from the manifest alone, which says the same of its backend as that says of itself. */
export function delegateOf({ directInvoke }: Pick<Manifest, 'directInvoke'>): Delegate | undefined {
  if (directInvoke === null || directInvoke.backend['type'] !== AGENT_TYPE) return undefined;
  const { name } = directInvoke.backend;
  return { name: typeof name === 'string' ? name : null };
}
