/** What was signed, or what the tree was made from, is not what the log holds: to go on would mend nothing. */
export class LogContradicted extends Error {
  override readonly name = 'LogContradicted';
}
