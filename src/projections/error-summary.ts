const LONGEST = 300;

/** One line about whatever was thrown, for operators: `name: message`, or the value's text. */
export function errorSummary(thrown: unknown): string {
  return describe(thrown).replace(/\s+/gu, ' ').slice(0, LONGEST);
}

function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    return `${typeof thrown}: ${String(thrown)}`;
  } catch {
    return typeof thrown;
  }
}
