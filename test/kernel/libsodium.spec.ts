import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { libsodium } from '../../src/kernel/libsodium.js';
import { built } from '../support/built.js';

const PACKAGES = resolve(fileURLToPath(import.meta.url), '../../../node_modules');

/** RFC 8032 section 7.1, TEST 2: whether it verifies, with its message and with another. */
const VERIFY = `
  const { verifyEd25519 } = await import('./kernel/ed25519.js');
  const { libsodium } = await import('./kernel/libsodium.js');
  const b64u = (hex) => Buffer.from(hex, 'hex').toString('base64url');
  const x = b64u('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
  const signature = b64u(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
    '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00');
  const verdicts = ['r', 's'].map((text) => verifyEd25519({ kty: 'OKP', crv: 'Ed25519', x }, text, signature));
  console.log(JSON.stringify([libsodium !== undefined, ...verdicts]));
`;

/** In a copy of the kernel that finds these packages and no others. */
function verifyWith(packages: readonly string[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'libsodium-'));
  try {
    cpSync(
      dirname(built(new URL('../../src/kernel/ed25519.ts', import.meta.url))),
      join(folder, 'kernel'),
      {
        recursive: true,
      },
    );
    for (const name of packages) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(PACKAGES, name), join(folder, 'node_modules', name));
    }
    return JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', VERIFY], {
        cwd: folder,
      }).toString(),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('is there on the machines that have a binary', () => {
  expect(libsodium).toBeDefined();
});

it.each([
  ['with it', ['sodium-native'], true],
  ['without it OpenSSL', [], false],
])('%s verifies the same', (_, packages, isThere) => {
  const verdicts = verifyWith(['@noble/ed25519', 'canonicalize', ...packages]);
  expect(verdicts).toEqual([isThere, true, false]);
});
