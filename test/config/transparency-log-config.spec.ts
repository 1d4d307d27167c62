import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/read-config.js';
import { formatNoteKey, noteKey } from '../../src/kernel/note-key.js';

const JWK = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
} as const;
const WITNESS = formatNoteKey(noteKey('witness.example/w1', 'cosignature/v1', JWK));
const OTHER = formatNoteKey(noteKey('witness.example/w2', 'cosignature/v1', JWK));

function read(environment: Readonly<Record<string, string>>) {
  return readConfig({ COUNTERSIGN_DEV: '1', DATA_FOLDER: '/tmp/x', ...environment }, 'host');
}

describe('the configuration of the transparency log', () => {
  it('takes every setting', () => {
    const config = read({
      LOG_TREE: 'sqlite:/tmp/y/tree.db',
      LOG_CHECKPOINT_SECONDS: '3',
      LOG_CHECKPOINT_FILE: '/tmp/z/checkpoint',
      LOG_WITNESSES: ` ${WITNESS}\n ${OTHER} `,
    });
    expect(config.ok && config.value.transparencyLog).toMatchObject({
      tree: { engine: 'sqlite', path: '/tmp/y/tree.db' },
      checkpointIntervalMs: 3_000,
      checkpointFile: '/tmp/z/checkpoint',
      witnesses: [{ name: 'witness.example/w1' }, { name: 'witness.example/w2' }],
    });
  });

  it.each([
    ['LOG_TREE', 'postgres://somewhere/db'],
    ['LOG_TREE', 'sqlite:/tmp/x/events.db'],
    ['LOG_CHECKPOINT_SECONDS', '0'],
    ['LOG_WITNESSES', 'witness.example'],
    ['LOG_WITNESSES', formatNoteKey(noteKey('witness.example/w1', 'ed25519', JWK))],
    ['LOG_WITNESSES', `${WITNESS} ${WITNESS}`],
    ['LOG_WITNESSES', WITNESS.replace('w1', 'w3')],
  ])('refuses %s=%s', (variable, value) => {
    const config = read({ [variable]: value });
    expect(config.ok ? [] : config.error.map((fault) => fault.variable)).toEqual([variable]);
  });
});
