import type { Provider } from '@nestjs/common';
import { ExtendedCards } from './extended-cards.js';
import { PublicCards } from './public-cards.js';

/**
 * Cards of hosted agents. They want `CapabilityRegistry`, `CardPublication`, `CARD_SIGNING`,
 * `DirectBackends`, `HOSTED_AGENTS` and `CONFIG`.
 */
export const CARD_PROVIDERS: readonly Provider[] = [PublicCards, ExtendedCards];
