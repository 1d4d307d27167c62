import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { servedCard } from '../../../src/a2a/card/served-card.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import { agentCard, claimsExtendedCard } from '../../../src/capabilities/domain/card.js';
import { directInvokeDeclarations } from '../../../src/capabilities/domain/card-direct-invoke.js';
import {
  extendedSkills,
  publicSkills,
  type CardSkill,
} from '../../../src/capabilities/domain/card-skills.js';
import { entitled } from '../../../src/capabilities/domain/entitlement.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { KeyId } from '../../../src/kernel/ids.js';
import { RUNS } from '../../support/property-runs.js';
import { byId, FINANCE } from '../../capabilities/support/capabilities.js';
import { EXTENSIONS } from '../../capabilities/support/extensions.js';
import { ownWords, ownWordsOf, withOwnWords } from '../../capabilities/support/own-words.js';
import { someCallers, someCapabilities } from '../../capabilities/support/random-capabilities.js';

const PROFILE = {
  agentId: FINANCE,
  name: 'Finance agent',
  description: 'Looks invoices up.',
  version: '1.0',
  provider: null,
  documentationUrl: null,
  iconUrl: null,
  extendedCard: 'derived',
} as const;

const SETTINGS = {
  publicBaseUrl: 'https://countersign.example',
  extensions: EXTENSIONS,
  openIdConnectUrl: null,
  needsToken: true,
};

/** A signature of no letters, so that none of them is a word by accident. */
const SIGNER = { keyId: '0' as KeyId, sign: () => '0' };

function bytesOf(capabilities: readonly Capability[], skills: readonly CardSkill[]): string {
  const content = {
    version: '1.0.1',
    skills,
    declarations: directInvokeDeclarations(byId(...capabilities), skills, () => true),
    extendedAgentCard: claimsExtendedCard(PROFILE, byId(...capabilities)),
  };
  const card = agentCard(PROFILE, SETTINGS, content);
  const { signatures, ...rest } = servedCard(card, SIGNER, SETTINGS.publicBaseUrl).card;
  expect(signatures).toHaveLength(1);
  return JSON.stringify(rest).toLowerCase();
}

const registries = someCapabilities().map((all) => all.map((each) => withOwnWords(each)));

function expectNoLeak(
  all: readonly Capability[],
  caller: Caller | null,
  skills: readonly CardSkill[],
): void {
  const bytes = bytesOf(all, skills);
  const { hidden, shown } = {
    hidden: all.filter((each) => !entitled(each, caller)),
    shown: all.filter((each) => entitled(each, caller)),
  };
  for (const each of hidden) {
    for (const secret of ownWords(each)) {
      // A replacement's id stands in its predecessor's manifest; that is no word of that one.
      const isShown = shown.some(({ manifest }) => manifest.id.toLowerCase() === secret);
      if (!isShown) expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
    }
  }
  for (const { manifest } of shown) {
    for (const word of [manifest.handler, manifest.owner, ...manifest.requiresScopes]) {
      expect([word, bytes.includes(word.toLowerCase())]).toEqual([word, false]);
    }
    expect(bytes).toContain(manifest.skill.name.toLowerCase());
    if (manifest.directInvoke === null) continue;
    for (const word of ownWordsOf(manifest.directInvoke)) expect(bytes).toContain(word);
  }
}

describe('no word of what somebody may not use', () => {
  it('occurs in any byte of the public card', () => {
    fc.assert(
      fc.property(registries, (all) => {
        expectNoLeak(all, null, publicSkills(byId(...all)));
      }),
      RUNS,
    );
  });

  it('occurs in any byte of its extended card', () => {
    fc.assert(
      fc.property(registries, someCallers(), (all, callers) => {
        for (const caller of callers) {
          expectNoLeak(all, caller, extendedSkills(byId(...all), caller));
        }
      }),
      RUNS,
    );
  });

  it('would be found', () => {
    const [hidden] = fc
      .sample(registries, { numRuns: 200, seed: 1 })
      .flatMap((all) => all.filter((each) => !entitled(each, null)));
    if (hidden === undefined) throw new Error('nothing is hidden');
    const { id, skill } = hidden.manifest;
    const leaking = [{ id, ...skill }];
    expect(() => expectNoLeak([hidden], null, leaking)).toThrow();
  });

  it('changes a byte of the public card either, but for the claim of an extended one', () => {
    fc.assert(
      fc.property(registries, (all) => {
        const visible = all.filter((each) => entitled(each, null));
        const withAll = bytesOf(all, publicSkills(byId(...all)));
        const alone = bytesOf(all, publicSkills(byId(...visible)));
        expect(withAll).toBe(alone);
      }),
      RUNS,
    );
  });
});
