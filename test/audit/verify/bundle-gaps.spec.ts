import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import { leafHash } from '../../../src/kernel/merkle.js';
import { encodeBase64Url } from '../../../src/kernel/base64url.js';
import { envelopeText } from '../../../src/kernel/envelope.js';
import type { EvidenceBundle } from '../../../src/kernel/evidence-bundle.js';
import {
  agentChanged,
  alphaKey,
  bundleOf,
  golden,
  goldenBundle,
  logKey,
  preludeOf,
  registeredKey,
  trusting,
} from '../support/bundles.js';
import { signingKey } from '../../support/interaction-fixtures.js';

const trust = trusting(logKey);
const names = readdirSync(new URL('../../golden/interactions/', import.meta.url)).map((file) =>
  file.replace('.json', ''),
);

function without(bundle: EvidenceBundle, stream: string, revision?: number): EvidenceBundle {
  const streams = Object.entries(bundle.streams).flatMap(([name, entries]) => {
    if (name !== stream) return [[name, entries] as const];
    if (revision === undefined) return [];
    return [[name, entries.filter((_, index) => index !== revision)] as const];
  });
  return { ...bundle, streams: Object.fromEntries(streams) };
}

/** What the verdict says is missing or unknown. */
function told({ checks }: ReturnType<typeof verifyBundle>): string {
  return checks
    .filter(({ result }) => result !== 'verified')
    .map(({ subject, detail }) => `${subject} ${detail ?? ''}`)
    .join('\n');
}

describe('a bundle with something removed (case 28)', () => {
  describe.each(names)('%s', (name) => {
    const bundle = goldenBundle(name);

    it('one stream: named, and not checkable', () => {
      for (const stream of Object.keys(bundle.streams)) {
        const verification = verifyBundle(without(bundle, stream), trust);
        expect([stream, verification.result]).toEqual([stream, 'not-checkable']);
        expect(told(verification)).toContain(stream);
      }
    });

    it('one event of any stream: named', () => {
      for (const [stream, entries] of Object.entries(bundle.streams)) {
        for (const revision of entries.keys()) {
          const verification = verifyBundle(without(bundle, stream, revision), trust);
          expect([stream, revision, verification.result]).not.toContain('verified');
          const isLast = revision === entries.length - 1;
          const name = isLast ? stream : `${stream}@${revision}`;
          expect(told(verification)).toContain(name);
        }
      }
    });
  });
});

describe('a key that was added later', () => {
  const name = 'rejected';
  const log = golden(name);
  const at = '2029-12-31T12:00:00.000Z' as never;
  const second = signingKey('agent-alpha#2', 31);
  const data = { key: registeredKey('agent-alpha', second, at), replaces: null };
  const added = agentChanged('agent-alpha', 1, 'agent-key-added', data, alphaKey, at);
  /** The golden's decisions rest on the second key's event. */
  const events = log.events.map((event) => ({
    ...event,
    metadata: {
      ...event.metadata,
      basedOn: { ...event.metadata.basedOn, 'agent-agent-alpha': 1 },
    },
  }));
  const [dataKey = null] = Object.values(log.dataKeys);
  const bundle = bundleOf({
    log: [...preludeOf(log), added, ...events],
    document: log.document,
    dataKey,
  });

  it('is verified', () => {
    expect(verifyBundle(bundle, trust).result).toBe('verified');
  });

  it('is missed by its number when its event is left out, because decisions rested on it', () => {
    const verification = verifyBundle(without(bundle, 'agent-agent-alpha', 1), trust);
    expect(verification.result).toBe('not-checkable');
    expect(told(verification)).toContain('agent-agent-alpha@1');
  });

  it('makes later signatures not checkable when its event is withheld', () => {
    const streams = Object.fromEntries(
      Object.entries(bundle.streams).map(([stream, entries]) => [
        stream,
        stream !== 'agent-agent-alpha'
          ? entries
          : entries.map((entry, revision) =>
              revision === 1 && 'envelope' in entry
                ? {
                    index: entry.index,
                    inclusion: entry.inclusion,
                    revision,
                    leafHash: encodeBase64Url(leafHash(envelopeText(entry.envelope))),
                  }
                : entry,
            ),
      ]),
    );
    const { result, checks } = verifyBundle({ ...bundle, streams }, trust);
    expect(result).toBe('not-checkable');
    const open = checks.filter((check) => check.result !== 'verified');
    expect(new Set(open.map(({ reason }) => reason))).toEqual(new Set(['events-withheld']));
    // Beta's are not touched by what is withheld of alpha.
    expect(open.filter(({ subject }) => subject.endsWith('agent-beta'))).toEqual([]);
    expect(
      checks.filter(({ check }) => check === 'inclusion').every((c) => c.result === 'verified'),
    ).toBe(true);
  });
});

describe('without the texts', () => {
  const bundle = { ...goldenBundle('negotiated-amended-completed'), document: null, dataKey: null };
  const { result, checks, state } = verifyBundle(bundle, trust);

  it('what needs them is not checkable, and nothing fails', () => {
    expect(result).toBe('not-checkable');
    const open = checks.filter((check) => check.result !== 'verified');
    expect(new Set(open.map(({ check }) => check))).toEqual(
      new Set(['texts', 'attestation', 'document']),
    );
  });

  it('acceptances, acts and the state are verified all the same', () => {
    const verified = checks.filter((check) => check.result === 'verified');
    const kinds = new Set(verified.map(({ check }) => check));
    for (const kind of ['acceptance', 'act', 'transition', 'inclusion'] as const) {
      expect(kinds).toContain(kind);
    }
    expect(state?.status).toBe('completed');
  });
});
