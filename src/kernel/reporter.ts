/** Tells operators something that they should read: one line, and what it is about. */
export type Reporter = (line: string, about: Readonly<Record<string, unknown>>) => void;
