import type { ApiResponseSchemaHost } from '@nestjs/swagger';

type Described = Pick<ApiResponseSchemaHost, 'description' | 'schema'>;

/** How the OpenAPI description refers to the v0.1 wire documents: their JSON Schemas define them. */
function wireDocument(name: string, description: string): Described {
  return {
    description,
    schema: {
      type: 'object',
      additionalProperties: true,
      description: `schemas/v0.1/${name}.schema.json`,
    },
  };
}

export const WIRE_DOCUMENT = wireDocument(
  'federated-interaction',
  'The federated interaction, protocol version 0.1, and nothing else',
);

export const REVISION_DOCUMENT = wireDocument(
  'contract-revision',
  'One contract revision, protocol version 0.1: what the platform attests, and the attestation',
);

export const VERIFICATION_KEYS = wireDocument(
  'verification-keys',
  'What an offline verifier needs: `countersign verify FILE --keys URL`',
);
