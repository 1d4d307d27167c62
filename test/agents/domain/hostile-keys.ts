import { Point } from '@noble/ed25519';

/** Encodings of Ed25519 points that no honest signer has as a public key, by what is wrong. */

/** All eight points of small order, in their canonical encodings (hexadecimal). */
const SMALL_ORDER = {
  'order 1 (the identity)': `01${'00'.repeat(31)}`,
  'order 2': `ec${'ff'.repeat(30)}7f`,
  'order 4, even x': '00'.repeat(32),
  'order 4, odd x': `${'00'.repeat(31)}80`,
  'order 8, first': '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'order 8, first, negated': '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'order 8, second': 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'order 8, second, negated': 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
};

/** Second spellings: y not reduced modulo p, or a sign bit on x = 0. */
const NON_CANONICAL = {
  'the identity with a sign bit': `01${'00'.repeat(30)}80`,
  'order 2 with a sign bit': `ec${'ff'.repeat(31)}`,
  'y = p': `ed${'ff'.repeat(30)}7f`,
  'y = p with a sign bit': `ed${'ff'.repeat(31)}`,
  'y = p + 1': `ee${'ff'.repeat(30)}7f`,
  'y = p + 1 with a sign bit': `ee${'ff'.repeat(31)}`,
  ...Object.fromEntries(
    Array.from({ length: 17 }, (_, i) => [
      `y = p + ${String(i + 2)}`,
      `${(0xef + i).toString(16)}${'ff'.repeat(30)}7f`,
    ]),
  ),
};

/** An honest point plus each point of small order but the identity: outside the subgroup. */
function mixedOrder(): Record<string, string> {
  const honest = Point.BASE.multiply(1234567n);
  return Object.fromEntries(
    Object.entries(SMALL_ORDER)
      .slice(1)
      .map(([name, hex]) => [`honest + ${name}`, honest.add(Point.fromHex(hex, true)).toHex()]),
  );
}

export const HOSTILE_POINTS: readonly { readonly name: string; readonly x: string }[] =
  Object.entries({ ...SMALL_ORDER, ...NON_CANONICAL, ...mixedOrder() }).map(([name, hex]) => ({
    name,
    x: Buffer.from(hex, 'hex').toString('base64url'),
  }));
