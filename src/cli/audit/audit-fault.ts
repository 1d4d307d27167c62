import { cliFault, type CliFault, type CliFaultCode } from '../cli-fault.js';

/** Ends an audit whose input cannot be used, from wherever it is read; the command reports it. */
export class AuditFault extends Error {
  override readonly name = 'AuditFault';
  readonly fault: CliFault;

  constructor(code: CliFaultCode, detail: string) {
    super(detail);
    this.fault = cliFault(code, detail);
  }
}
