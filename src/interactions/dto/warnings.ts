import { ApiProperty, type ApiResponseSchemaHost } from '@nestjs/swagger';
import type { ContractWarning } from '../contract-advice.js';

export class ContractWarningDocument {
  @ApiProperty({ example: 'entry-not-in-vocabulary' })
  readonly code!: string;

  @ApiProperty({
    example: '/contract/prohibitedActions/0',
    description: 'JSON Pointer (RFC 6901) into the request that proposed the terms',
  })
  readonly pointer!: string;

  @ApiProperty()
  readonly detail!: string;
}

export class ContractWarningsDocument {
  @ApiProperty({
    type: () => [ContractWarningDocument],
    description: 'Those of the first entries; empty when all is well',
  })
  readonly warnings!: readonly ContractWarningDocument[];
}

const HEADER = 'contract-warnings';

/** Header fields stay short; the address of the warnings tells all of them. */
const MAX_IN_HEADER = 16;

/**
 * What a proposal's answer says besides the wire document, which has no room for it: a list of RFC 9651,
 * `entry-not-in-vocabulary;pointer="/contract/prohibitedActions/0", …`. No header when all is well.
 */
export function warningsHeader(
  warnings: readonly ContractWarning[],
): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  const items = warnings
    .slice(0, MAX_IN_HEADER)
    .map(({ code, pointer }) => `${code};pointer="${pointer}"`);
  return { [HEADER]: items.join(', ') };
}

/** How the description of an operation that proposes terms tells of them. */
export const WARNINGS_HEADER: Pick<ApiResponseSchemaHost, 'headers'> = {
  headers: {
    'Contract-Warnings': {
      description:
        'Present when terms are proposed that will do something else than they seem to: codes, each ' +
        'with a JSON Pointer into the request (a list of RFC 9651, at most 16 items). ' +
        '`entry-not-in-vocabulary`: an entry of `prohibitedActions`, `prohibitedData` or ' +
        '`humanApprovalRequirements` is no `action` or `data` value of a capability of the hosted ' +
        'party that the caller may see, so that it may apply to every call; what becomes one later ' +
        'changes nothing. `GET …/revisions/{revision}/warnings` says the same at length.',
      schema: {
        type: 'string',
        example: 'entry-not-in-vocabulary;pointer="/contract/prohibitedActions/0"',
      },
    },
  },
};
