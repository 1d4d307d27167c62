import type { CardSettings } from '../../capabilities/domain/card.js';
import type { Config } from '../../config/config.js';
import { declaredExtensions } from '../../capabilities/domain/card-extensions.js';

/** What the cards of this deployment say alike. */
export function cardSettings({
  publicBaseUrl,
  tokens,
  a2a,
}: Pick<Config, 'publicBaseUrl' | 'tokens' | 'a2a'>): CardSettings {
  return {
    publicBaseUrl,
    extensions: declaredExtensions(a2a.requiredExtensions),
    openIdConnectUrl:
      tokens.kind === 'oidc'
        ? `${tokens.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
        : null,
    needsToken: a2a.anonymous === 'refused',
  };
}
