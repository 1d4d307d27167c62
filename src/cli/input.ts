import { createReadStream } from 'node:fs';
import type { Json } from '../kernel/json.js';
import { err, ok, type Result } from '../kernel/result.js';
import {
  parseStrictJson,
  SIGNED_DOCUMENT_LIMITS,
  type StrictJsonLimits,
} from '../kernel/strict-json.js';
import { cliFault, type CliFault } from './cli-fault.js';
import { inputKind } from './input-kind.js';

/**
 * Reads a JSON document from a file, or from stdin for `-`, and takes it only when it has a single
 * meaning. Nothing beyond the limit is kept in memory. What another command takes is told as that.
 *
 * Refuses with `input-unreadable` and the codes of {@link parseStrictJson}.
 */
export async function readJson(
  path: string,
  limits: StrictJsonLimits = SIGNED_DOCUMENT_LIMITS,
): Promise<Result<Json, CliFault>> {
  const source = path === '-' ? process.stdin : createReadStream(path);
  const bytes = await readBounded(source, path, limits.maxBytes);
  if (!bytes.ok) return bytes;
  const parsed = parseJson(bytes.value, limits);
  return parsed.ok ? parsed : err(withKind(parsed.error, bytes.value));
}

/**
 * Reads a short text from a file.
 *
 * Refuses with `input-unreadable` and `json-too-large`.
 */
export async function readText(path: string, maxBytes: number): Promise<Result<string, CliFault>> {
  const bytes = await readBounded(createReadStream(path), path, maxBytes);
  return bytes.ok ? ok(Buffer.from(bytes.value).toString('utf8')) : bytes;
}

export function parseJson(bytes: Uint8Array, limits: StrictJsonLimits): Result<Json, CliFault> {
  const parsed = parseStrictJson(bytes, limits);
  if (parsed.ok) return parsed;
  const { code, pointer } = parsed.error;
  if (code === 'json-too-large') return err(tooLarge(limits.maxBytes));
  return err(cliFault(code, pointer === '' ? 'the document is refused' : `at ${pointer}`));
}

async function readBounded(
  source: AsyncIterable<unknown>,
  path: string,
  maxBytes: number,
): Promise<Result<Uint8Array, CliFault>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      chunks.push(bytes);
      if (size > maxBytes) return err(withKind(tooLarge(maxBytes), chunks[0] ?? bytes));
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err(cliFault('input-unreadable', `${path} cannot be read (${code ?? 'unknown error'})`));
  }
  return ok(Buffer.concat(chunks));
}

function withKind({ code, detail }: CliFault, beginning: Uint8Array): CliFault {
  const kind = inputKind(beginning);
  return cliFault(code, kind === undefined ? detail : `${detail}; ${kind}`);
}

function tooLarge(maxBytes: number): CliFault {
  return cliFault('json-too-large', `the document is larger than ${inUnits(maxBytes)}`);
}

function inUnits(bytes: number): string {
  const kib = bytes / 1024;
  return kib % 1024 === 0 ? `${kib / 1024} MiB` : `${kib} KiB`;
}
