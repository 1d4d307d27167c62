import type { Artifact } from '../../wire/types.js';

/**
 * What an artifact update makes of a task's artifacts (A2A v1.0 section 4.2.2): one of a known id
 * replaces it, or with `append` adds its parts; one of a new id comes last.
 */
export function withArtifact(
  artifacts: readonly Artifact[],
  update: Artifact,
  append: boolean,
): readonly Artifact[] {
  const index = artifacts.findIndex(({ artifactId }) => artifactId === update.artifactId);
  const known = artifacts[index];
  if (known === undefined) return [...artifacts, update];
  return artifacts.with(index, append ? appended(known, update) : update);
}

function appended(known: Artifact, update: Artifact): Artifact {
  const metadata = { ...known.metadata, ...update.metadata };
  return {
    ...known,
    ...update,
    parts: [...known.parts, ...update.parts],
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
