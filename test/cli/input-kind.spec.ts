import { describe, expect, it } from '@jest/globals';
import { inputKind } from '../../src/cli/input-kind.js';
import { formatNoteKey } from '../../src/kernel/note-key.js';
import { goldenBundle, logKey } from '../audit/support/bundles.js';
import { negotiated } from '../audit/support/documents.js';
import { goldenExport } from './audit/support/golden-export.js';

const bundle = goldenBundle('rejected');
const events = goldenExport('rejected');

describe('a file is told by its beginning', () => {
  it.each<[string, string, RegExp]>([
    ['an export', events.join('\n'), /export of a log, which `countersign audit FILE` takes$/],
    ['a page', `[${events.join(',')}]`, /page of events; .*Accept: application\/x-ndjson$/],
    ['a bundle', JSON.stringify(bundle), /evidence bundle, which `countersign verify /],
    ['indented', JSON.stringify(bundle, null, 2), /evidence bundle/],
    ['a document', JSON.stringify(negotiated()), /interaction document, .* --keys KEYS` takes$/],
    ['a checkpoint', bundle.checkpoint, /checkpoint, which is named by --trust/],
    ['a verifier key', `${formatNoteKey(logKey)}\n`, /verifier key, which is named by --trust/],
  ])('%s', (_, text, told) => {
    expect(inputKind(Buffer.from(text))).toMatch(told);
  });

  it.each(['', '{', '{}', '[]', 'contractRevisions', '{"a":{"bundle":1}}', '\u0000'])(
    '%j looks like nothing',
    (text) => {
      expect(inputKind(Buffer.from(text))).toBeUndefined();
    },
  );
});
