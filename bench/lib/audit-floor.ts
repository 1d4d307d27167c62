import { createPublicKey, generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { libsodium } from '../../src/kernel/libsodium.js';

/** How many signatures an event of each type carries. */
const SIGNATURES: Readonly<Record<string, number>> = {
  'agent-registered': 1,
  'agent-key-added': 2,
  'interaction-proposed': 1,
  'revision-proposed': 1,
  'revision-accepted': 1,
  'revision-attested': 1,
  'revision-rejected': 1,
  'interaction-cancelled': 1,
  'outcome-reported': 1,
};
/** Of an acceptance statement. */
const MESSAGE_BYTES = 520;
const CHUNK_BYTES = 4 * 1024 * 1024;

export interface FloorDone {
  readonly events: number;
  readonly signatures: number;
}

/** Whose Ed25519: the one that `node:crypto` calls, or the quicker one that the audit asks first. */
export type Verifier = 'OpenSSL' | 'libsodium';

interface Share {
  readonly verifier: Verifier;
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The work that no audit of an export can do without, and nothing else: every line is read, parsed
 * and hashed, and as many Ed25519 signatures are verified as it carries, on so many threads.
 */
export async function auditFloor(
  file: string,
  threads: number,
  verifier: Verifier,
): Promise<FloorDone> {
  const { size } = statSync(file);
  const shares = Array.from({ length: threads }, (_, n) => ({
    verifier,
    file,
    from: Math.floor((size * n) / threads),
    to: Math.floor((size * (n + 1)) / threads),
  }));
  const done = await Promise.all(shares.map(onThread));
  const sum = (of: (one: FloorDone) => number) => done.reduce((total, one) => total + of(one), 0);
  return { events: sum(({ events }) => events), signatures: sum((one) => one.signatures) };
}

function onThread(share: Share): Promise<FloorDone> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Lines that begin in the share, the first byte of the file or after a newline. */
function work({ verifier, file, from, to }: Share): FloorDone {
  const pair = generateKeyPairSync('ed25519');
  const key = createPublicKey(pair.privateKey);
  const message = Buffer.alloc(MESSAGE_BYTES, 'statement');
  const signature = sign(null, message, pair.privateKey);
  const point = key.export({ format: 'der', type: 'spki' }).subarray(-32);
  const verifies =
    verifier === 'OpenSSL'
      ? () => verify(null, message, key, signature)
      : () => libsodium?.crypto_sign_verify_detached(signature, message, point) === true;
  const descriptor = openSync(file, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  // The line before may reach into the share, unless it ends right before it.
  let isAligned = from === 0;
  let offset = from === 0 ? 0 : from - 1;
  let place = offset;
  let events = 0;
  let signatures = 0;
  for (let isOver = false; !isOver;) {
    const size = readSync(descriptor, chunk, 0, CHUNK_BYTES, offset);
    if (size === 0) break;
    offset += size;
    const bytes = Buffer.concat([rest, chunk.subarray(0, size)]);
    let begin = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, begin)) {
      const line = bytes.subarray(begin, end);
      const startsAt = place + begin;
      begin = end + 1;
      if (!isAligned) {
        isAligned = true;
        continue;
      }
      if (startsAt >= to) {
        isOver = true;
        break;
      }
      hash('sha256', line, 'buffer');
      const { type } = JSON.parse(line.toString()) as { type: string };
      events++;
      for (let n = SIGNATURES[type] ?? 0; n > 0; n--) {
        if (!verifies()) throw new Error('a signature does not verify');
        signatures++;
      }
    }
    place += begin;
    rest = Buffer.from(bytes.subarray(begin));
  }
  closeSync(descriptor);
  return { events, signatures };
}

if (!isMainThread && parentPort !== null) parentPort.postMessage(work(workerData as Share));
