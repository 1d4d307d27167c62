import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvidenceBundle } from '../../kernel/evidence-bundle.js';
import type { InteractionId } from '../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { audit } from '../audit.js';
import type { Command } from '../command.js';
import { verify } from '../verify.js';
import type { DemoClient } from './demo-client.js';
import { expectStatus } from './story.js';

/** What a command told, line by line, and the exit code that it would end with. */
export interface Told {
  readonly exitCode: number;
  readonly lines: readonly string[];
}

/** Somebody who works with the `countersign` command, and trusts a verifier key of the log alone. */
export class Auditor {
  private constructor(
    private readonly client: DemoClient,
    private readonly token: string,
    private readonly folder: string,
    readonly verifierKey: string,
  ) {}

  /**
   * Takes the verifier key from the service, for want of another source: in earnest that is one which
   * the auditor trusts.
   * @param token with the scope `audit:read-all`
   * @param folder for the files of bundles
   */
  static async appoint(client: DemoClient, token: string, folder: string): Promise<Auditor> {
    const { verifierKey = null } = expectStatus(await client.request('GET', '/v1/log', token), 200);
    if (typeof verifierKey !== 'string') throw new Error('the log has no key');
    return new Auditor(client, token, folder, verifierKey);
  }

  /** How many events the log has. */
  async countEvents(): Promise<number> {
    return lengthOf(await this.#get('/v1/events?limit=1000&texts=false'));
  }

  /** How many of them the newest checkpoint covers. */
  async checkpointSize(): Promise<number> {
    const { checkpoint = null } = await this.#get('/v1/log');
    return isObject(checkpoint) ? Number(checkpoint['size']) : 0;
  }

  /** How many interactions the service lists. */
  async countInteractions(): Promise<number> {
    return lengthOf((await this.#get('/v1/interactions'))['items']);
  }

  async evidence(interactionId: InteractionId): Promise<EvidenceBundle> {
    const bundle = await this.#get(`/v1/interactions/${interactionId}/evidence`);
    return bundle as unknown as EvidenceBundle;
  }

  /** `countersign verify` of a bundle in a file. */
  async verify(bundle: EvidenceBundle, name: string): Promise<Told> {
    const file = join(this.folder, name);
    await writeFile(file, JSON.stringify(bundle));
    return await run(verify, [file, '--trust', this.verifierKey]);
  }

  /** `countersign audit` of the live service. */
  audit(): Promise<Told> {
    const { audience } = this.client;
    return run(audit, [audience, '--trust', this.verifierKey, '--token', this.token]);
  }

  async #get(path: string): Promise<JsonObject> {
    return expectStatus(await this.client.request('GET', path, this.token), 200);
  }
}

function lengthOf(list: Json | undefined): number {
  if (!Array.isArray(list)) throw new Error('the service answers without a list');
  return list.length;
}

async function run(command: Command, args: readonly string[]): Promise<Told> {
  const output = await command.run(args);
  if (!output.ok) throw new Error(`${output.error.code}: ${output.error.detail}`);
  const { stdout, exitCode = 0 } = output.value;
  return { exitCode, lines: stdout.trimEnd().split('\n') };
}

/** The lines of the checks that are told by this word. The last lines, with numbers and verdict, are none. */
export function checksOf(
  { lines }: Told,
  word: 'verified' | 'failed' | 'erased',
): readonly string[] {
  return lines.filter((line) => line.startsWith(`${word} `));
}
