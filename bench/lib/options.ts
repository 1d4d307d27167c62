/** `--quick`: at most 30 seconds, for a look; the figures that count come from the full form. */
export const QUICK = process.argv.includes('--quick');
