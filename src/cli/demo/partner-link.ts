import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Narrator } from './story.js';

/** What the partner's process is told first: where the service is, and the token of its agent. */
export interface PartnerBriefing {
  readonly baseUrl: string;
  readonly token: string;
}

/** What only the other side of the partner's contract can give: its signature, its person's approval. */
export interface Counterpart {
  accept(interactionId: string): Promise<void>;
  approve(invocationId: string): Promise<void>;
}

/** Which of the two is asked for. */
export type Wish = keyof Counterpart;

/** What the partner's process says to the one that started it; it is answered only when it asks. */
export type PartnerSays =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'asks'; readonly wish: Wish; readonly id: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs the partner's agent in a process of its own until its story is told. The two share no memory:
 * the partner's key is made there and stays there. The process ends with this one.
 * @throws {Error} what the partner found wrong, or the counterpart did
 */
export async function runPartner(
  briefing: PartnerBriefing,
  counterpart: Counterpart,
  say: Narrator,
): Promise<void> {
  const program = fileURLToPath(new URL('partner-process.js', import.meta.url));
  const child = fork(program, { env: {}, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  // Nobody waits for it to end: it ends when this process does.
  child.unref();
  child.channel?.unref();
  try {
    await new Promise<void>((resolve, reject) => {
      const answer = async (said: PartnerSays): Promise<void> => {
        switch (said.kind) {
          case 'line':
            say(said.line);
            return;
          case 'asks':
            await counterpart[said.wish](said.id);
            child.send('done');
            return;
          case 'done':
            resolve();
            return;
          case 'failed':
            reject(new Error(said.reason));
        }
      };
      child.on('message', (said) => {
        answer(said as PartnerSays).catch(reject);
      });
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(new Error(`the partner's process ended with ${String(code)}`));
      });
      child.send(briefing);
    });
  } finally {
    child.kill();
  }
}
