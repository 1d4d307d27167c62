import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Looks for texts in every file of a folder: as UTF-8, as JSON with and without its optional escapes,
 * and in both base64 alphabets at each of the three places in a group where they may begin.
 * @returns `<file>: <text>` of each that was found, sorted
 */
export async function tracesIn(folder: string, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.map((text) => [text, spellingsOf(text)] as const);
  const found: string[] = [];
  for await (const [name, bytes] of filesIn(folder)) {
    for (const [text, spellings] of wanted) {
      if (spellings.some((spelling) => bytes.includes(spelling))) found.push(`${name}: ${text}`);
    }
  }
  return found.sort();
}

/** Names of the files of a folder that hold a key: a part of it, lest one be found only where it begins. */
export async function filesWithKey(folder: string, key: Buffer): Promise<string[]> {
  const part = key.subarray(8, 24);
  const found: string[] = [];
  for await (const [name, bytes] of filesIn(folder)) if (bytes.includes(part)) found.push(name);
  return found.sort();
}

async function* filesIn(folder: string): AsyncGenerator<readonly [name: string, bytes: Buffer]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    // A file may go while the folder is read.
    yield [entry.name, await readFile(file).catch(() => Buffer.alloc(0))];
  }
}

function spellingsOf(text: string): readonly Buffer[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(
    /[^\x20-\x7e]/gu,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  const plain = [...new Set([text, json, ascii])].map((each) => Buffer.from(each));
  return plain.flatMap((bytes) => [bytes, ...base64Of(bytes)]);
}

/** Of each place in a group only the characters that follow from the bytes alone. */
function base64Of(bytes: Buffer): readonly Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const usable = bytes.subarray(0, bytes.length - ((before + bytes.length) % 3));
    const shifted = Buffer.concat([Buffer.alloc(before), usable]);
    return (['base64', 'base64url'] as const).map((alphabet) =>
      Buffer.from(shifted.toString(alphabet).slice(before === 0 ? 0 : 4)),
    );
  });
}
