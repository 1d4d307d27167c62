import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { AgentClient, outcomeOf } from './support/direct-calls.js';
import { FINANCE, financeDeployment, ledgerSkill, SCOPE, startBackend } from './support/finance.js';

const SCHEMAS = {
  input_schema: { title: 'counted input', type: 'object', required: ['invoice'] },
  output_schema: { title: 'counted output', type: 'object' },
};

/** Schemas that the validator has compiled. */
const compiled: string[] = [];
const validator = Ajv2020.prototype as unknown as {
  compile: (schema: object, meta?: boolean) => unknown;
};
const { compile } = validator;
let service: InProcessService;
let backend: SampleBackend;

beforeAll(async () => {
  validator.compile = function (schema, meta) {
    compiled.push(JSON.stringify(schema));
    return compile.call(this, schema, meta);
  };
  backend = await startBackend(() => service);
  const direct = { ...SCHEMAS, backend: { type: 'http', name: 'ledger' } };
  const skill = ledgerSkill('lookup', { direct_invoke: direct });
  service = await startTestService(await financeDeployment(backend, [skill]));
});

afterAll(async () => {
  validator.compile = compile;
  await service.dispose();
  await backend.stop();
});

function times({ title }: { readonly title: string }): number {
  return compiled.filter((schema) => schema.includes(title)).length;
}

it('a schema is compiled to be judged, and once for all that judge by it', async () => {
  const token = await service.token({ scopes: [SCOPE] });
  const client = new AgentClient(service, FINANCE, token);
  expect(outcomeOf(await client.route('lookup'))).toBe('COMPLETED');
  for (let round = 0; round < 2; round++) {
    expect(outcomeOf(await client.invoke('lookup', { invoice: 'INV-1' }))).toBe('COMPLETED');
    const explained = await client.explain('lookup', { arguments: { invoice: 'INV-1' } });
    expect(explained.status).toBe(200);
  }
  expect([times(SCHEMAS.input_schema), times(SCHEMAS.output_schema)]).toEqual([2, 2]);
});
