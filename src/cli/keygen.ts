import { generateKeyPairSync } from 'node:crypto';
import { open } from 'node:fs/promises';
import { PLATFORM_KEY_PURPOSES } from '../attestation/domain/platform-key.js';
import { jwkThumbprint, type Ed25519Jwk } from '../kernel/ed25519.js';
import { KEY_ID_FORM, parseKeyId } from '../kernel/ids.js';
import { err, ok, type Result } from '../kernel/result.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command } from './command.js';
import { parseArguments } from './parse-arguments.js';

const PURPOSES: readonly string[] = PLATFORM_KEY_PURPOSES;

const usage = `Usage: countersign keygen [--key-id ID] [--purpose PURPOSE] [--out FILE]

Makes an Ed25519 key pair.

  --key-id ID        the key's id, stored as the JWK's kid
  --purpose PURPOSE  make a key of the platform's instead: a JWK Set as PLATFORM_KEYS names it, of
                     one key with this purpose; its id is its thumbprint unless --key-id is given
                     (${PURPOSES.join(', ')})
  --out FILE         write the private JWK (Set) to a new file that only you can read, and print
                     the public half as {keyId, jwk, jwkThumbprint}; nothing is ever overwritten

Without --out the private JWK (Set) goes to stdout and the public half to stderr.
`;

export const keygen: Command = {
  usage,
  async run(args) {
    const options = {
      'key-id': { type: 'string' },
      purpose: { type: 'string' },
      out: { type: 'string' },
    } as const;
    const parsed = parseArguments(args, options, 0);
    if (!parsed.ok) return parsed;
    const { 'key-id': keyId, purpose, out } = parsed.value.values;
    if (keyId !== undefined && parseKeyId(keyId) === undefined) {
      return err(cliFault('usage', `key ids match ${KEY_ID_FORM}`));
    }
    if (purpose !== undefined && !PURPOSES.includes(purpose)) {
      return err(cliFault('usage', `--purpose is one of ${PURPOSES.join(', ')}`));
    }
    const { text, publicHalf } =
      purpose === undefined ? agentKey(keyId) : platformKey(keyId, purpose);
    const printed = `${JSON.stringify(publicHalf)}\n`;
    if (out === undefined) return ok({ stdout: text, stderr: printed });
    const written = await writeNewPrivateFile(out, text);
    return written.ok ? ok({ stdout: printed }) : written;
  },
};

/** What goes into the private file, and what may be shown. */
interface MadeKey {
  readonly text: string;
  readonly publicHalf: object;
}

function agentKey(keyId: string | undefined): MadeKey {
  const { jwk, d, thumbprint } = newKey();
  const kid = keyId === undefined ? {} : { kid: keyId };
  return {
    text: `${JSON.stringify({ ...jwk, d, ...kid })}\n`,
    publicHalf: { keyId, jwk, jwkThumbprint: thumbprint },
  };
}

function platformKey(keyId: string | undefined, purpose: string): MadeKey {
  let key = newKey();
  // Base64url may begin with a dash or an underscore, which no key id does.
  while (keyId === undefined && parseKeyId(key.thumbprint) === undefined) key = newKey();
  const { jwk, d, thumbprint } = key;
  const kid = keyId ?? thumbprint;
  return {
    text: `${JSON.stringify({ keys: [{ ...jwk, d, kid, purpose }] }, undefined, 2)}\n`,
    publicHalf: { keyId: kid, jwk, jwkThumbprint: thumbprint },
  };
}

function newKey(): { jwk: Ed25519Jwk; d: string; thumbprint: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return { jwk, d, thumbprint: jwkThumbprint(jwk) };
}

/** Fails rather than touch whatever is there already, be it a link to nowhere. */
async function writeNewPrivateFile(path: string, text: string): Promise<Result<void, CliFault>> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return ok(undefined);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return err(
      code === 'EEXIST'
        ? cliFault('output-exists', `${path} exists and is not overwritten`)
        : cliFault('output-unwritable', `${path} cannot be written (${code})`),
    );
  }
}
