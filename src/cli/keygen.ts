import { generateKeyPairSync } from 'node:crypto';
import { open } from 'node:fs/promises';
import { jwkThumbprint } from '../kernel/ed25519.js';
import { parseKeyId } from '../kernel/ids.js';
import { err, ok, type Result } from '../kernel/result.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command } from './command.js';
import { parseArguments } from './parse-arguments.js';

const usage = `Usage: countersign keygen [--key-id ID] [--out FILE]

Makes an Ed25519 key pair.

  --key-id ID   the key's id, stored as the JWK's kid
  --out FILE    write the private JWK to a new file that only you can read, and print the public
                half as {keyId, jwk, jwkThumbprint}; an existing file is never overwritten

Without --out the private JWK goes to stdout and the public half to stderr.
`;

export const keygen: Command = {
  usage,
  async run(args) {
    const options = { 'key-id': { type: 'string' }, out: { type: 'string' } } as const;
    const parsed = parseArguments(args, options, 0);
    if (!parsed.ok) return parsed;
    const { 'key-id': keyId, out } = parsed.value.values;
    if (keyId !== undefined && parseKeyId(keyId) === undefined) {
      return err(cliFault('usage', 'key ids match [A-Za-z0-9][A-Za-z0-9._:~#-]{0,159}'));
    }
    const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
    const kid = keyId === undefined ? {} : { kid: keyId };
    const privateJwk = `${JSON.stringify({ ...jwk, d, ...kid })}\n`;
    const publicHalf = `${JSON.stringify({ keyId, jwk, jwkThumbprint: jwkThumbprint(jwk) })}\n`;
    if (out === undefined) return ok({ stdout: privateJwk, stderr: publicHalf });
    const written = await writeNewPrivateFile(out, privateJwk);
    return written.ok ? ok({ stdout: publicHalf }) : written;
  },
};

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
