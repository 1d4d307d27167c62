/** A value as it is sent: its JSON text between what its form writes around it. */
export interface FramedJson {
  readonly before: string;
  readonly value: object;
  readonly after: string;
}

/** A value with nothing around it. */
export function bare(value: object): FramedJson {
  return { before: '', value, after: '' };
}

/** For values that are not large. */
export function framedText({ before, value, after }: FramedJson): string {
  return `${before}${JSON.stringify(value)}${after}`;
}
