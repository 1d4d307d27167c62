import type { JsonObject } from '../../../src/kernel/json.js';

/** What cards say of the backend `e2e.sum`. */
export const SUM_SUMMARY = { type: 'in-process', name: 'calculator' };

/** `direct_invoke` of a manifest of that handler. */
export const SUM_DIRECT: JsonObject = {
  input_schema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' }, how: { type: 'string' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
  },
  backend: SUM_SUMMARY,
};
