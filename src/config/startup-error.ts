/** Why the service does not start: sentences for whoever starts it. */
export class StartupError extends Error {
  override readonly name = 'StartupError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}
