import { readFile, writeFile } from 'node:fs/promises';
import { documentChanges, type DocumentChange } from '../kernel/document-changes.js';
import type { Json } from '../kernel/json.js';
import { err, ok, type Result } from '../kernel/result.js';
import { filedAgent } from './card/filed-agent.js';
import { reviewedCard } from './card/reviewed-card.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command, CommandOutput } from './command.js';
import { parseJson } from './input.js';
import { parseArguments } from './parse-arguments.js';
import { visible } from './printable.js';

const usage = `Usage: countersign card-diff [--agent ID] [--write] AGENTS CARD

Compares the public card that the agents file AGENTS and its manifests give with CARD, the card as
it was last reviewed. What a deployment adds is left out: address, token issuer, number of the list
of skills, signature.

  --agent ID  whose card; the first agent of the file when left out
  --write     accept the card as it is now: write it to CARD

Exit code 0 when they are equal (or CARD was written), 1 when not, with every change on stdout; 2
when a file cannot be used, with the code on stderr.
`;

/** A card of ten thousand skills is a big one. */
const CARD_LIMITS = { maxBytes: 16 * 1024 * 1024, maxDepth: 64, maxValues: Infinity };

export const cardDiff: Command = {
  usage,
  async run(args) {
    const options = { agent: { type: 'string' }, write: { type: 'boolean' } } as const;
    const parsed = parseArguments(args, options, 2);
    if (!parsed.ok) return parsed;
    const { agent: agentId, write } = parsed.value.values;
    const [agentsFile = '', cardFile = ''] = parsed.value.positionals;
    const card = await cardOf(agentsFile, agentId);
    if (!card.ok) return card;
    return write === true
      ? await accept(cardFile, card.value)
      : await compare(cardFile, card.value);
  },
};

async function cardOf(file: string, id: string | undefined): Promise<Result<Json, CliFault>> {
  const filed = await filedAgent(file, id);
  if (!filed.ok) return filed;
  const { agent, capabilities } = filed.value;
  return ok(JSON.parse(JSON.stringify(reviewedCard(agent, capabilities))) as Json);
}

async function accept(file: string, card: Json): Promise<Result<CommandOutput, CliFault>> {
  const reviewed = await readReviewed(file);
  // What is equal keeps its layout.
  if (reviewed.ok && documentChanges(reviewed.value, card).length === 0) return ok(UNCHANGED);
  try {
    await writeFile(file, `${JSON.stringify(card, undefined, 2)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err(cliFault('output-unwritable', `${file} cannot be written (${code ?? 'unknown'})`));
  }
  return ok({ stdout: '', stderr: `The card is written to ${file}.\n` });
}

const UNCHANGED = { stdout: '', stderr: 'The public card is as it was reviewed.\n' };

async function compare(file: string, card: Json): Promise<Result<CommandOutput, CliFault>> {
  const reviewed = await readReviewed(file);
  if (!reviewed.ok) return reviewed;
  const changes = documentChanges(reviewed.value, card);
  if (changes.length === 0) return ok(UNCHANGED);
  return ok({
    stdout: `${changes.flatMap(linesOf).join('\n')}\n`,
    stderr: `The public card is not the one in ${file}. Review every change; --write accepts them.\n`,
    exitCode: 1,
  });
}

/** `-` and `+`, its pointer, the value. */
function linesOf({ pointer, before, after }: DocumentChange): readonly string[] {
  return [
    ...(before === undefined ? [] : [`- ${visible(`${pointer}: ${before}`)}`]),
    ...(after === undefined ? [] : [`+ ${visible(`${pointer}: ${after}`)}`]),
  ];
}

async function readReviewed(file: string): Promise<Result<Json, CliFault>> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Before the first release nothing is reviewed: the whole card is new.
    if (code === 'ENOENT') return ok({});
    return err(cliFault('input-unreadable', `${file} cannot be read (${code ?? 'unknown error'})`));
  }
  const card = parseJson(bytes, CARD_LIMITS);
  return card.ok ? card : err({ ...card.error, detail: `${file}: ${card.error.detail}` });
}
