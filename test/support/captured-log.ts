/** Runs something and gives the lines that the service logged meanwhile, instead of showing them. */
export async function logOf(run: () => Promise<void>): Promise<readonly string[]> {
  const lines: string[] = [];
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (chunk) => lines.push(String(chunk)) > 0;
  try {
    await run();
  } finally {
    process.stderr.write = write;
  }
  return lines;
}
