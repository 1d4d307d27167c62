import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyAgentCardSignature, type AgentCard } from '@a2a-js/sdk';
import canonicalize from 'canonicalize';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  flattenedVerify,
  type JSONWebKeySet,
} from 'jose';
import { capability } from '../../capabilities/support/capabilities.js';
import { CardNode, FINANCE_AGENT } from './support/card-node.js';

const DEFAULT = '/.well-known/agent-card.json';

interface Signed {
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
  readonly [member: string]: unknown;
}

let folder: string;
let nodes: CardNode[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cards-'));
  nodes = [];
});

afterEach(async () => {
  for (const node of nodes) await node.close();
  await rm(folder, { recursive: true });
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<CardNode> {
  const node = await CardNode.start(folder, [FINANCE_AGENT], env);
  nodes.push(node);
  return node;
}

async function fetched(node: CardNode): Promise<Signed> {
  return (await (await node.get(DEFAULT)).json()) as Signed;
}

async function jwks(node: CardNode): Promise<JSONWebKeySet> {
  return (await (await node.get('/.well-known/jwks.json')).json()) as JSONWebKeySet;
}

/** As section 8.4.3 of A2A v1.0 verifies, by the key set that the service publishes. */
async function verified({ signatures, ...payload }: Signed, keys: JSONWebKeySet): Promise<boolean> {
  const [signature] = signatures;
  if (signature === undefined) return false;
  const jws = { ...signature, payload: Buffer.from(canonicalize(payload)!).toString('base64url') };
  return flattenedVerify(jws, createLocalJWKSet(keys), { algorithms: ['EdDSA'] }).then(
    () => true,
    () => false,
  );
}

describe('the signature of a card', () => {
  it('verifies by the published key over the JSON that is served', async () => {
    const node = await start();
    await node.node.register(capability('lookup', { skill: { examples: ['«Ünï» 🔑 \u2028'] } }));
    const card = await fetched(node);
    const [signature] = card.signatures;
    expect(card.signatures).toHaveLength(1);
    expect(decodeProtectedHeader(signature!)).toEqual({
      alg: 'EdDSA',
      typ: 'JOSE',
      kid: expect.stringMatching(/^dev-/),
      jku: 'https://countersign.example/.well-known/jwks.json',
    });
    expect(await verified(card, await jwks(node))).toBe(true);
  });

  it('verifies when members are there that are required and empty', async () => {
    const node = await start();
    const card = await fetched(node);
    expect(card).toMatchObject({ skills: [], defaultInputModes: [], defaultOutputModes: [] });
    expect(await verified(card, await jwks(node))).toBe(true);
  });

  it.each<[what: string, change: (card: Signed) => object]>([
    ['another name', () => ({ name: 'Another' })],
    ['another address', () => ({ supportedInterfaces: [] })],
    ['no need of a token', () => ({ securityRequirements: undefined })],
    ['one member more', () => ({ iconUrl: 'https://evil.example/i.png' })],
    ['one skill less', () => ({ skills: [] })],
  ])('does not verify with %s', async (_, change) => {
    const node = await start();
    await node.node.register(capability('lookup'));
    const card = await fetched(node);
    expect(await verified({ ...card, ...change(card) }, await jwks(node))).toBe(false);
  });

  it('verifies with the SDK, which leaves out what is empty, where nothing is', async () => {
    const node = await start({ A2A_ANONYMOUS: 'secret' });
    await node.node.register(capability('lookup'));
    const card = await fetched(node);
    const { keys } = await jwks(node);
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      expect(jku).toBe('https://countersign.example/.well-known/jwks.json');
      return keys.find((key) => key.kid === kid)!;
    });
    await expect(verify(card as unknown as AgentCard)).resolves.toBeUndefined();
  });

  it('is by another key as soon as another node takes over with it', async () => {
    const keys = [platformKey('a', 'attestation'), platformKey('c2', 'card')];
    const first = platformKey('c1', 'card');
    await writeKeys([...keys, first]);
    const node = await start();
    await node.node.register(capability('lookup'));
    expect(await keyOf(node)).toBe('c1');
    await writeKeys([first, ...keys]);
    await start();
    expect(await keyOf(node)).toBe('c2');
  });

  async function keyOf(node: CardNode): Promise<string | undefined> {
    return decodeProtectedHeader((await fetched(node)).signatures[0]!).kid;
  }

  it('is by a new card key at once, and old cards still verify', async () => {
    const before = await start();
    await before.node.register(capability('lookup'));
    const old = await fetched(before);
    await rotate(before);
    const after = await start();
    const fresh = await fetched(after);
    expect(decodeProtectedHeader(fresh.signatures[0]!).kid).toBe('card-2');
    expect(fresh['version']).toBe(old['version']);
    expect(await verified(fresh, await jwks(after))).toBe(true);
    expect(await verified(old, await jwks(after))).toBe(true);
    // The node that lacks the new key serves no card that the old one signs.
    expect((await before.get(DEFAULT)).status).toBe(503);
  });

  /** Puts another card key behind the present one in the node's file. */
  async function rotate(node: CardNode): Promise<void> {
    const text = await readFile(node.config.platformKeys.file, 'utf8');
    const { keys } = JSON.parse(text) as { keys: object[] };
    await writeKeys([...keys, platformKey('card-2', 'card')]);
  }

  async function writeKeys(keys: readonly object[]): Promise<void> {
    const file = join(folder, 'platform-keys.jwks.json');
    await writeFile(file, JSON.stringify({ keys }), { mode: 0o600 });
  }
});

function platformKey(kid: string, purpose: string): object {
  return { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid, purpose };
}
