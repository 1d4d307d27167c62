import type { CliFault, CliFaultCode } from '../cli-fault.js';
import { AuditFault } from './audit-fault.js';
import type { LogAudit } from './log-audit.js';

/** Of what is read, and not of the machine that reads. */
const OF_READING: ReadonlySet<CliFaultCode> = new Set([
  'events-malformed',
  'input-unreadable',
  'service-refused',
  'service-unreachable',
] as const);

/**
 * Reads a log as far as it can be read: what stands before the damage counts.
 * @returns why the rest cannot be read; null when nothing is left
 * @throws {AuditFault} when nothing of the log could be read
 */
export async function untilCut(log: LogAudit, read: () => Promise<void>): Promise<CliFault | null> {
  try {
    await read();
    return null;
  } catch (error) {
    const isCut = error instanceof AuditFault && OF_READING.has(error.fault.code) && log.size > 0;
    if (!isCut) throw error;
    return error.fault;
  }
}
