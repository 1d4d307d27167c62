/** All that some benchmark takes; which one takes it, it says itself. */
const KNOWN = new Set(['--quick', '--without-postgres', '--words']);

const unknown = process.argv.slice(2).filter((each) => each.startsWith('--') && !KNOWN.has(each));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(' ')}; there are ${[...KNOWN].join(', ')}`);
  process.exit(2);
}

/** `--quick`: at most 30 seconds, for a look; the figures that count come from the full form. */
export const QUICK = process.argv.includes('--quick');
