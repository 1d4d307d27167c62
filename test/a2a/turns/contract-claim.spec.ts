import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readContractClaim } from '../../../src/a2a/turns/contract-claim.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import type { Json } from '../../../src/kernel/json.js';
import { capability } from '../../capabilities/support/capabilities.js';
import { Messaging, saying, TRUST } from '../support/messaging.js';

const AT = `/metadata/${TRUST.replaceAll('/', '~1')}`;
const INTERACTION = '11111111-1111-4111-8111-111111111111';
const HASH = `${'A'.repeat(42)}E`;

function claiming(claim: Json): SendMessageRequest {
  return saying('hello', { metadata: { [TRUST]: claim } });
}

describe('the contract that a message names', () => {
  it('is read with and without the hash of its terms', () => {
    expect(readContractClaim(claiming({ interactionId: INTERACTION }), TRUST)).toEqual({
      ok: true,
      value: { interactionId: INTERACTION, termsHash: null },
    });
    const full = { interactionId: INTERACTION, termsHash: HASH };
    expect(readContractClaim(claiming(full), TRUST)).toEqual({ ok: true, value: full });
  });

  it.each<[string, SendMessageRequest]>([
    ['no metadata', saying('hello')],
    ['the extension alone', saying('hello', { extensions: [TRUST] })],
    ['another URI', saying('hello', { metadata: { [`${TRUST}/`]: {}, trust: {} } })],
  ])('is none with %s', (_, params) => {
    expect(readContractClaim(params, TRUST)).toEqual({ ok: true, value: null });
  });

  it.each<[Json, string]>([
    [null, ''],
    ['11111111-1111-4111-8111-111111111111', ''],
    [[], ''],
    [{}, '/interactionId'],
    [{ termsHash: HASH }, '/interactionId'],
    [{ interactionId: 'no-such-interaction' }, '/interactionId'],
    [{ interactionId: INTERACTION.toUpperCase().replace('1', 'A') }, '/interactionId'],
    [{ interactionId: '00000000-0000-0000-0000-000000000000' }, '/interactionId'],
    [{ interactionId: 7 }, '/interactionId'],
    [{ interactionId: INTERACTION, termsHash: null }, '/termsHash'],
    [{ interactionId: INTERACTION, termsHash: 'x' }, '/termsHash'],
    [{ interactionId: INTERACTION, termsHash: `${HASH}=` }, '/termsHash'],
    [{ interactionId: INTERACTION, revision: 1 }, '/revision'],
    [{ interactionId: INTERACTION, 'a/b~c': 1 }, '/a~1b~0c'],
  ])('%j is refused, at %j', (claim, below) => {
    const refused = readContractClaim(claiming(claim), TRUST);
    expect(refused).toMatchObject({
      ok: false,
      error: { error: 'InvalidParams', code: 'contract-claim-invalid' },
    });
    expect(JSON.stringify(refused)).toContain(`"pointer":"/message${AT}${below}"`);
  });

  it('is refused in the metadata of the request, which says where it belongs', () => {
    const claim = { interactionId: INTERACTION };
    const refused = readContractClaim({ ...saying('hello'), metadata: { [TRUST]: claim } }, TRUST);
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: 'contract-claim-invalid',
        faults: [{ pointer: AT, detail: `belongs to the message itself, at /message${AT}` }],
      },
    });
  });
});

describe('a message with a claim that is none', () => {
  let messaging: Messaging;

  beforeEach(async () => {
    messaging = await Messaging.open({ capabilities: [capability('echo')] });
  });

  afterEach(async () => {
    await messaging.close();
  });

  it('is refused before anything is recorded, unary and as a stream', async () => {
    const params = claiming({ interactionId: 'x' });
    expect(await messaging.refusalOf(params)).toMatchObject({ code: 'contract-claim-invalid' });
    const streamed = await messaging.messages.stream(messaging.request(null), params);
    expect(streamed).toMatchObject({ ok: false, error: { code: 'contract-claim-invalid' } });
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.admissions).toHaveLength(0);
  });
});
