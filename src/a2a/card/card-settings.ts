import type { CardSettings } from '../../capabilities/domain/card.js';
import type { Config } from '../../config/config.js';
import type { ExtensionSettings } from '../../capabilities/domain/card-extensions.js';

/** What a deployment honours, and what it asks for. */
export function extensionSettings({
  trustExtensionUri,
  directInvokeExtensionUri,
  requiredExtensions,
}: Pick<
  Config['a2a'],
  'trustExtensionUri' | 'directInvokeExtensionUri' | 'requiredExtensions'
>): ExtensionSettings {
  return {
    trustUri: trustExtensionUri,
    directInvokeUri: directInvokeExtensionUri,
    required: requiredExtensions,
  };
}

/** What the cards of this deployment say alike. */
export function cardSettings({
  publicBaseUrl,
  tokens,
  a2a,
}: Pick<Config, 'publicBaseUrl' | 'tokens' | 'a2a'>): CardSettings {
  return {
    publicBaseUrl,
    extensions: extensionSettings(a2a),
    openIdConnectUrl:
      tokens.kind === 'oidc'
        ? `${tokens.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
        : null,
    needsToken: a2a.anonymous === 'refused',
  };
}
