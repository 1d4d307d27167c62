import type { Capability } from '../../../src/capabilities/domain/capability.js';

/**
 * Gives every text of a capability, its id and its replacement's too, words that occur nowhere else:
 * `nameqqidqqb`, `ownerqqidqqb`; `qq` marks them.
 * @param commonModes media types that it takes besides its own
 */
export function withOwnWords(
  capability: Capability,
  commonModes: readonly string[] = [],
): Capability {
  const { manifest } = capability;
  const word = (kind: string): string => `${kind}qq${manifest.id}`;
  return withLongIds({
    ...capability,
    manifest: {
      ...manifest,
      handler: word('handler'),
      owner: word('owner'),
      limits: { [word('limit')]: word('value') },
      requiresScopes: manifest.requiresScopes.map((scope) => `${scope}.${word('scope')}`),
      directInvoke: manifest.directInvoke && {
        ...manifest.directInvoke,
        inputSchema: { type: 'object', properties: { [word('argument')]: {} } },
        outputSchema: { title: word('result') },
        backend: { type: word('backend') },
      },
      skill: {
        name: word('name'),
        description: `Does ${word('description')} well.`,
        tags: [word('tag')],
        examples: [`Please ${word('example')}.`],
        inputModes: [...commonModes, `text/${word('in')}`],
        outputModes: [`text/${word('out')}`],
      },
    },
  });
}

/** The ids of replacements are words too: ids are told apart by a prefix. */
function withLongIds(capability: Capability): Capability {
  const { manifest } = capability;
  const long = <Id extends string>(id: Id): Id => `idqq${id}` as Id;
  const replacement = manifest.replacement === null ? null : long(manifest.replacement);
  return { ...capability, manifest: { ...manifest, id: long(manifest.id), replacement } };
}

/** All words of a manifest that {@link withOwnWords} gave it, and its replacement's id. */
export function ownWords({ manifest }: Capability): ReadonlySet<string> {
  return ownWordsOf(manifest);
}

/** … of a part of it. */
export function ownWordsOf(part: object): ReadonlySet<string> {
  return new Set(
    JSON.stringify(part)
      .toLowerCase()
      .match(/[a-z]+qq[a-z]+/g),
  );
}
