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

/** What a thread threw comes without its class, but with what it held. */
export function faultOfThread(error: Error): AuditFault | undefined {
  if (error.name !== 'AuditFault') return undefined;
  const { code, detail } = (error as AuditFault).fault;
  return new AuditFault(code, detail);
}
