import type { ExtensionSettings } from '../../../src/capabilities/domain/card-extensions.js';

export const TRUST_URI = 'https://countersign.example/extensions/trust/v1';
export const DIRECT_URI = 'https://example.com/a2a/extensions/skill-direct-invoke/v1';

/** Both extensions, none of them required. */
export const EXTENSIONS: ExtensionSettings = {
  trustUri: TRUST_URI,
  directInvokeUri: DIRECT_URI,
  required: [],
};
