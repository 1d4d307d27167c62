import type { AgentExtension } from './agent-card.js';

/** What a deployment says of extensions. */
export interface ExtensionSettings {
  readonly trustExtensionUri: string;
  /** URIs without which no call is served. */
  readonly requiredExtensions: readonly string[];
}

/** The extensions of this service, as cards declare and requests negotiate them. */
export function declaredExtensions(settings: ExtensionSettings): readonly AgentExtension[] {
  const extensions: readonly AgentExtension[] = [
    {
      uri: settings.trustExtensionUri,
      description:
        'Names the contract under which a message is sent: under this URI, the metadata of the ' +
        'message holds interactionId and termsHash.',
    },
  ];
  return extensions.map((extension) =>
    settings.requiredExtensions.includes(extension.uri)
      ? { ...extension, required: true }
      : extension,
  );
}
