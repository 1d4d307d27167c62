import { ok } from '../kernel/result.js';
import { filedAgent } from './card/filed-agent.js';
import { reviewedCard } from './card/reviewed-card.js';
import { bytesOf, skillSizes, type SkillSize } from './card/skill-sizes.js';
import type { Command } from './command.js';
import { parseArguments } from './parse-arguments.js';

const usage = `Usage: countersign card-size [--agent ID] AGENTS

Tells what each skill of the agents file AGENTS costs whoever reads a card that lists it, such as a
model that plans direct invokes: the bytes of its entry in skills, of its entry in params.skills of
skill-direct-invoke (schemas, mostly), and about how many tokens both are. Tokens are bytes / 4, which
is no tokenizer's count. Skills of extended cards are listed too; public-card is all of the public
card, without its signature.

  --agent ID  whose card; the first agent of the file when left out
`;

/** What a token of JSON takes, roughly: to compare skills with each other, not to bill by. */
const BYTES_PER_TOKEN = 4;

/** `countersign card-size`: what each skill costs whoever reads the card. */
export const cardSize: Command = {
  usage,
  async run(args) {
    const parsed = parseArguments(args, { agent: { type: 'string' } } as const, 1);
    if (!parsed.ok) return parsed;
    const { values, positionals } = parsed.value;
    const filed = await filedAgent(positionals[0] ?? '', values.agent);
    if (!filed.ok) return filed;
    const { agent, capabilities } = filed.value;
    const sizes = skillSizes(capabilities);
    const whole = bytesOf(reviewedCard(agent, capabilities));
    const rows = [
      ['skill', 'card', 'skills', 'params.skills', 'bytes', 'tokens'],
      ...sizes.map((size) => row(size.id, size.isPublic ? 'public' : 'extended', [size])),
      row(
        'total',
        'public',
        sizes.filter(({ isPublic }) => isPublic),
      ),
      row('total', 'all', sizes),
      ['public-card', 'public', '', '', String(whole), tokens(whole)],
    ];
    return ok({
      stdout: tableOf(rows),
      stderr: `Tokens are estimated: bytes / ${BYTES_PER_TOKEN}.\n`,
    });
  },
};

function row(name: string, card: string, sizes: readonly SkillSize[]): readonly string[] {
  const skill = sizes.reduce((sum, each) => sum + each.skill, 0);
  const directInvoke = sizes.reduce((sum, each) => sum + each.directInvoke, 0);
  const bytes = skill + directInvoke;
  return [name, card, String(skill), String(directInvoke), String(bytes), tokens(bytes)];
}

function tokens(bytes: number): string {
  return String(Math.ceil(bytes / BYTES_PER_TOKEN));
}

/** Two columns of names, then numbers under each other. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  const lines = rows.map((cells) =>
    cells
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  return `${lines.join('\n')}\n`;
}
