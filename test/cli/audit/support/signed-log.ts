import { parseLogLine } from '../../../../src/cli/audit/log-line.js';
import { formatCheckpoint } from '../../../../src/kernel/checkpoint.js';
import { signEd25519 } from '../../../../src/kernel/ed25519.js';
import { envelopeText, type EventEnvelope } from '../../../../src/kernel/envelope.js';
import { deriveUuid } from '../../../../src/kernel/ids.js';
import { leafHash, MerkleFrontier } from '../../../../src/kernel/merkle.js';
import { formatNoteKey, noteKey, signNote } from '../../../../src/kernel/note-key.js';
import { formatNote } from '../../../../src/kernel/signed-note.js';
import { ORIGIN } from '../../../audit/support/bundles.js';
import { signingKey } from '../../../support/interaction-fixtures.js';
import { goldenExport } from './golden-export.js';

/** Somebody who signs checkpoints in the name of the log. */
export interface LogSigner {
  readonly verifierKey: string;
  sign(text: string): string;
}

export function logSigner(seed: number): LogSigner {
  const { jwk, privateKey } = signingKey('log', seed);
  const key = noteKey(ORIGIN, 'ed25519', jwk);
  return {
    verifierKey: formatNoteKey(key),
    sign: (text) =>
      formatNote({
        text,
        signatures: [signNote(text, key, (message) => signEd25519(privateKey, message))],
      }),
  };
}

/** A log of real events, as its export; whoever likes to signs its tree. */
export class SignedLog {
  constructor(readonly lines: readonly string[]) {}

  /** A platform key and two agents, and for each name an event of which nothing but order and id are judged. */
  static of(...names: readonly string[]): SignedLog {
    const prelude = goldenExport('negotiated-amended-completed').slice(0, 3);
    const event = JSON.parse(prelude[2] ?? '') as {
      readonly data: Pick<EventEnvelope, 'metadata'>;
    };
    const others = names.map((name, nth) =>
      JSON.stringify({
        ...event,
        id: deriveUuid(['event', `card-agent-${name}`, event.data.metadata.commandId, 0]),
        subject: `card-agent-${name}`,
        revision: 0,
        position: String(prelude.length + nth + 1).padStart(20, '0'),
      }),
    );
    return new SignedLog([...prelude, ...others]);
  }

  get size(): number {
    return this.lines.length;
  }

  /** The signed checkpoint of its first `size` entries. */
  note(signer: LogSigner, size = this.size): string {
    const tree = new MerkleFrontier();
    for (const line of this.lines.slice(0, size)) {
      const parsed = parseLogLine(line);
      if (parsed === undefined) throw new Error('the tests write readable events');
      tree.append(leafHash(envelopeText(parsed.envelope)));
    }
    return signer.sign(formatCheckpoint({ origin: ORIGIN, size, rootHash: tree.root() }));
  }
}
