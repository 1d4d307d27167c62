import { describe, expect, it } from '@jest/globals';
import { parseVerificationKeys } from '../../../src/audit/verify/verification-keys.js';
import { alpha, gamma, keyEntry, keysDocument, platform } from '../support/documents.js';

describe('verification keys', () => {
  it('are found by agent and key id, whatever the agent is called', () => {
    const parsed = parseVerificationKeys(keysDocument());
    if (!parsed.ok) throw new Error('unreadable');
    const { agents } = parsed.value;
    expect(agents.get('constructor')?.get(gamma.keyId)?.key).toEqual({
      ok: true,
      value: gamma.jwk,
    });
    expect(agents.get('toString')).toBeUndefined();
    expect(parsed.value.platform.get(platform.keyId)?.purpose).toBe('attestation');
  });

  it('may carry members that a later version adds', () => {
    const document = keysDocument();
    const jwk = { ...alpha.jwk, kid: 'x', use: 'sig', alg: 'EdDSA' };
    document.agents[alpha.agentId] = [{ ...keyEntry(alpha, { jwk }), note: 1 } as never];
    expect(parseVerificationKeys({ ...document, version: 2 }).ok).toBe(true);
  });

  it('stay in their place when they are no Ed25519 keys: another purpose may use another kind', () => {
    const document = keysDocument();
    const token = { ...keyEntry(platform, { keyId: 'token-1', jwk: { kty: 'RSA' } }) };
    document.platform.push({ ...token, purpose: 'backend-token' });
    const parsed = parseVerificationKeys(document);
    expect(parsed.ok && parsed.value.platform.get('token-1')?.key).toEqual({
      ok: false,
      error: 'key-malformed',
    });
  });

  it.each([
    ['no object', null, ['']],
    ['nothing', {}, ['/audience', '/agents', '/platform']],
    ['an empty audience', { ...keysDocument(), audience: '' }, ['/audience']],
    ['agents in a list', { ...keysDocument(), agents: [] }, ['/agents']],
    [
      'moments that are none',
      {
        ...keysDocument(),
        agents: { 'a/b': [{ ...keyEntry(alpha), from: null, until: '2030-01-01', revoked: true }] },
      },
      ['/agents/a~1b/0/from', '/agents/a~1b/0/until', '/agents/a~1b/0/revoked'],
    ],
    [
      'a silent revocation',
      { ...keysDocument(), agents: { a: [{ ...keyEntry(alpha), revoked: undefined }] } },
      ['/agents/a/0/revoked'],
    ],
    [
      'a platform key without a purpose',
      { ...keysDocument(), platform: [keyEntry(platform)] },
      ['/platform/0/purpose'],
    ],
    [
      'two keys of one id',
      { ...keysDocument(), agents: { a: [keyEntry(alpha), keyEntry(alpha)] } },
      ['/agents/a/1'],
    ],
  ])('%s: refused', (_, document, pointers) => {
    const parsed = parseVerificationKeys(document);
    expect(parsed.ok ? [] : parsed.error.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});
