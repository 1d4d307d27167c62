/**
 * What the documents tell a reader to type or to open must be there: every `npm run` script, every
 * `countersign` command and every relative link in README.md, CHANGELOG.md and docs/. And whoever
 * begins at README.md finds every document: each is linked, or its folder is, by another one. And
 * they can be read in a terminal: prose is as wide as .editorconfig has it, and no cell of a table
 * is a page of its own.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
/** In characters: what is longer belongs below its table. */
const MAX_CELL = 250;
const [, width] = /\[\*\.md\][^[]*?max_line_length = (\d+)/.exec(
  readFileSync(join(ROOT, '.editorconfig'), 'utf8'),
);
const { scripts, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const CLI = join(ROOT, bin.countersign);
const help = existsSync(CLI)
  ? execFileSync(process.execPath, [CLI, '--help'], { encoding: 'utf8' })
  : '';

const problems = [];
const linked = new Set();
const documents = ['README.md', 'CHANGELOG.md', ...markdownIn('docs')];
for (const document of documents) {
  const text = readFileSync(join(ROOT, document), 'utf8');
  problems.push(...tooWide(text).map((problem) => `${document}:${problem}`));
  for (const [, script] of text.matchAll(/\bnpm run ([\w:-]+)/g)) {
    if (!Object.hasOwn(scripts, script)) problems.push(`${document}: no script "${script}"`);
  }
  // With npx, in code within a line, and where a line of shell begins or substitutes with it.
  for (const [, command] of text.matchAll(/(?:npx |`|^ *|\$\()countersign ([a-z][\w-]*)/gm)) {
    if (!new RegExp(`\\b${command}\\b`).test(help)) {
      problems.push(`${document}: countersign --help does not name "${command}"`);
    }
  }
  for (const [, target] of text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)) {
    const path = relative(ROOT, resolve(ROOT, dirname(document), target));
    if (!existsSync(join(ROOT, path))) problems.push(`${document}: no file ${target}`);
    if (path !== document) linked.add(path);
  }
}
for (const document of documents) {
  const isFound = linked.has(document) || linked.has(dirname(document));
  if (document.startsWith('docs/') && !isFound) {
    problems.push(`${document}: no other document links to it`);
  }
}
for (const command of ['npm run demo', 'npm test']) {
  if (!readFileSync(join(ROOT, 'README.md'), 'utf8').includes(command)) {
    problems.push(`README.md: the quickstart does not say ${command}`);
  }
}

for (const problem of problems) console.error(problem);
console.log(`${documents.length} documents, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function markdownIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** Lines of prose that are too long and cells that are, as `line: what`; code is as long as it is. */
function tooWide(text) {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    const isFence = /^ *```/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode) return [];
    const at = index + 1;
    if (!/^ *\|/.test(line)) {
      const { length } = [...line];
      return length > Number(width) ? [`${at}: ${length} characters, more than ${width}`] : [];
    }
    return line
      .split(/(?<!\\)\|/)
      .map((cell) => [...cell.trim()].length)
      .filter((length) => length > MAX_CELL)
      .map((length) => `${at}: a cell of ${length} characters, more than ${MAX_CELL}`);
  });
}
