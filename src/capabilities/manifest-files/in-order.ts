import type { FiledManifest } from './read-manifest-files.js';
import { capabilityStream } from '../domain/stream.js';

/**
 * The manifests in the order of the files, but each after the one that replaces it, so that what is
 * pointed to is there. What points in a circle stays where it is; the decider refuses it.
 */
export function replacementsFirst(manifests: readonly FiledManifest[]): readonly FiledManifest[] {
  const byStream = new Map(
    manifests.map((filed) => [capabilityStream(filed.manifest.agentId, filed.manifest.id), filed]),
  );
  const ordered = new Set<FiledManifest>();
  for (const filed of manifests) {
    // Up the chain, as far as it is not placed yet; then down again.
    const chain = new Set<FiledManifest>();
    let next: FiledManifest | undefined = filed;
    while (next !== undefined && !ordered.has(next) && !chain.has(next)) {
      chain.add(next);
      const { agentId, replacement }: FiledManifest['manifest'] = next.manifest;
      next =
        replacement === null ? undefined : byStream.get(capabilityStream(agentId, replacement));
    }
    for (const each of [...chain].reverse()) ordered.add(each);
  }
  return [...ordered];
}
