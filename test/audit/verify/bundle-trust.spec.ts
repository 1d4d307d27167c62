import { describe, expect, it } from '@jest/globals';
import type { Trust } from '../../../src/audit/verify/trust.js';
import { parseTrust, parseWitness } from '../../../src/audit/verify/trust.js';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import { formatNoteKey, noteKey } from '../../../src/kernel/note-key.js';
import {
  bundleOf,
  earlierCheckpoint,
  golden,
  goldenBundle,
  logKey,
  ORIGIN,
  otherLogKey,
  preludeOf,
  trusting,
  witnessKey,
} from '../support/bundles.js';

const bundle = goldenBundle('rejected');
const size = 3 + Object.values(bundle.streams).flat().length;
const earlier = earlierCheckpoint(bundle, 5);
const consistent = goldenBundle('rejected', { from: 5 });

/** The log's first event replaced by another one, and the whole signed again. */
const forked = (() => {
  const told = golden('rejected');
  const log = [...preludeOf(told), ...told.events];
  const [dataKey = null] = Object.values(told.dataKeys);
  const other = log.map((event, index) =>
    index === 0 ? { ...event, metadata: { ...event.metadata, correlationId: 'other' } } : event,
  );
  return bundleOf({ log: other, document: told.document, dataKey, from: 5 });
})();

const keeping = (...checkpoints: Trust['checkpoints']): Trust => ({
  keys: [],
  checkpoints,
  witnesses: [],
});

/** What is not verified of the checkpoint. */
function doubts(given: unknown, trust: Trust) {
  return verifyBundle(given, trust)
    .checks.filter(({ result }) => result !== 'verified')
    .map(({ check, result, reason }) => [check, result, reason]);
}

describe('a bundle is as good as what is trusted from outside', () => {
  it.each<[string, unknown, Trust, readonly unknown[]]>([
    ['the key of the log', bundle, trusting(logKey), []],
    ['several keys, one of them of the log', bundle, trusting(otherLogKey, logKey), []],
    ['nothing', bundle, trusting(), [['checkpoint', 'not-checkable', 'log-unnamed']]],
    [
      'the key of another log',
      bundle,
      trusting(otherLogKey),
      [['checkpoint', 'failed', 'checkpoint-unsigned']],
    ],
    [
      "the log's own key under another name",
      bundle,
      trusting(noteKey('other.example/log', 'ed25519', logKey.jwk)),
      [['checkpoint', 'failed', 'checkpoint-unsigned']],
    ],
    ['the same checkpoint', bundle, keeping(earlierCheckpoint(bundle, size)), []],
    [
      'an earlier checkpoint, without a proof',
      bundle,
      keeping(earlier),
      [
        ['checkpoint', 'not-checkable', 'checkpoint-unsigned'],
        ['consistency', 'not-checkable', 'consistency-missing'],
      ],
    ],
    [
      'an earlier checkpoint with a proof, which says nothing of what came later',
      consistent,
      keeping(earlier),
      [['checkpoint', 'not-checkable', 'beyond-trust']],
    ],
    [
      'the key and an earlier checkpoint with a proof',
      consistent,
      { ...keeping(earlier), keys: [logKey] },
      [],
    ],
    [
      'a checkpoint of a tree of which this one is no extension',
      forked,
      { ...keeping(earlier), keys: [logKey] },
      [['consistency', 'failed', 'consistency-broken']],
    ],
    [
      'a checkpoint of the same size with another root',
      forked,
      { ...keeping(earlierCheckpoint(bundle, size)), keys: [logKey] },
      [
        ['consistency', 'failed', 'checkpoint-forked'],
        ['consistency', 'not-checkable', 'consistency-unanchored'],
      ],
    ],
    [
      'a newer checkpoint',
      bundle,
      {
        ...keeping({
          ...earlier,
          checkpoint: { ...earlier.checkpoint, size: size + 1 },
        }),
        keys: [logKey],
      },
      [['consistency', 'not-checkable', 'checkpoint-older']],
    ],
    [
      'a checkpoint of another log',
      bundle,
      {
        ...keeping({
          ...earlier,
          checkpoint: { ...earlier.checkpoint, origin: 'other.example/log' },
        }),
        keys: [logKey],
      },
      [['consistency', 'failed', 'origin-differs']],
    ],
    [
      'the key, and a proof from a size of which nobody has a checkpoint',
      consistent,
      trusting(logKey),
      [['consistency', 'not-checkable', 'consistency-unanchored']],
    ],
    [
      'the key, and a made-up proof',
      { ...bundle, consistency: { from: 3, proof: ['A'.repeat(43)] } },
      trusting(logKey),
      [['consistency', 'not-checkable', 'consistency-unanchored']],
    ],
    [
      'the key, and a proof from a larger tree',
      { ...bundle, consistency: { from: size + 1, proof: [] } },
      trusting(logKey),
      [['consistency', 'failed', 'consistency-broken']],
    ],
    [
      'the key, and a proof where there is nothing to prove',
      { ...bundle, consistency: { from: 0, proof: ['A'.repeat(43)] } },
      trusting(logKey),
      [['consistency', 'failed', 'consistency-broken']],
    ],
    ['a witness', bundle, { ...trusting(logKey), witnesses: [witnessKey] }, []],
    [
      'a witness that has not signed',
      bundle,
      {
        ...trusting(logKey),
        witnesses: [noteKey('w.example', 'cosignature/v1', otherLogKey.jwk)],
      },
      [['witness', 'not-checkable', 'cosignature-missing']],
    ],
  ])('%s', (_, given, trust, expected) => {
    expect(doubts(given, trust)).toEqual(expected);
  });

  it('a changed signature fails, whoever else signed', () => {
    const at = bundle.checkpoint.lastIndexOf(' ', bundle.checkpoint.indexOf('\u2014') + 60) + 30;
    const other = bundle.checkpoint.charAt(at) === 'A' ? 'B' : 'A';
    const checkpoint = bundle.checkpoint.slice(0, at) + other + bundle.checkpoint.slice(at + 1);
    expect(verifyBundle({ ...bundle, checkpoint }, trusting(logKey)).result).toBe('failed');
  });

  it('of another platform it fails', () => {
    const found = doubts({ ...bundle, audience: 'https://other.example' }, trusting(logKey));
    expect(found).toContainEqual(['checkpoint', 'failed', 'origin-differs']);
    expect(found).toContainEqual(['transition', 'failed', 'audience-differs']);
  });
});

describe('what is trusted is read strictly', () => {
  const text = formatNoteKey(logKey);
  const witness = formatNoteKey(witnessKey);

  it('a key, with a newline after it, and a checkpoint', () => {
    expect(parseTrust(`${text}\n`)).toEqual({ key: logKey });
    expect(parseTrust(bundle.checkpoint)).toMatchObject({ checkpoint: { checkpoint: { size } } });
    expect(parseWitness(witness)).toEqual(witnessKey);
  });

  it.each([
    ['nothing', ''],
    ['a name', ORIGIN],
    ['a key of another kind', witness],
    ['a key that its id does not fit', text.replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
    ['a note that is no checkpoint', bundle.checkpoint.replace(/\n\d+\n/, '\nten\n')],
    ['a text', 'trust me'],
  ])('not %s', (_, given) => {
    expect(parseTrust(given)).toBeUndefined();
  });

  it('a log key is no witness', () => {
    expect(parseWitness(text)).toBeUndefined();
  });
});
