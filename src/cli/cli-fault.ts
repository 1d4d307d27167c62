import type { StrictJsonError } from '../kernel/strict-json.js';

/** Why a command could not do its work: stable codes, printed first on stderr. */
export type CliFaultCode =
  | StrictJsonError['code']
  | 'usage'
  | 'input-unreadable'
  | 'output-exists'
  | 'output-unwritable'
  | 'contract-invalid'
  | 'document-invalid'
  | 'agents-invalid'
  | 'manifests-invalid'
  | 'signatures-not-empty'
  | 'statement-invalid'
  | 'private-key-invalid'
  | 'keys-invalid'
  | 'keys-unreachable'
  | 'trust-invalid'
  | 'events-malformed'
  | 'checkpoint-malformed'
  | 'service-unreachable'
  | 'service-refused'
  | 'dev-issuer-missing'
  | 'dev-issuer-unreadable'
  | 'internal-error';

export interface CliFault {
  readonly code: CliFaultCode;
  /** For whoever typed the command. It may hold text of an input: it is escaped when printed. */
  readonly detail: string;
}

export function cliFault(code: CliFaultCode, detail: string): CliFault {
  return { code, detail };
}
