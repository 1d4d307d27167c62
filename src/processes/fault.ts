import type { Reporter } from '../kernel/reporter.js';

/** Tells operators what failed, and gives it back as one line for `health`. */
export type ReportFault = (what: string, error: unknown) => string;

/** Reports of one process. */
export function reportFaultOf(process: string, report: Reporter): ReportFault {
  return (what, error) => {
    report(what, { process, error });
    return faultText(what, error);
  };
}

export function faultText(what: string, error: unknown): string {
  return `${what}: ${error instanceof Error ? error.message : String(error)}`;
}
