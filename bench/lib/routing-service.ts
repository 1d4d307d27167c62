import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import type { SkillTexts } from '../../src/a2a/routing/text-classifier.js';
import { startService, stopProcess, untilIdle } from './child-service.js';
import { KeptConnection } from './kept-connection.js';
import { mintCallerToken } from './caller-token.js';
import { openScratch } from './scratch.js';

const AGENT = 'bench';
const SCOPE = 'bench.run';
const CONNECTIONS = 16;
/** For fitting all skills after the start. */
const PATIENCE_MS = 30_000;

/** The most memory so far, in MiB. */
export interface ServiceMemory {
  /** When all skills are learned. */
  readonly learned: number;
  /** After so many messages, as many as come: V8 lets garbage lie as long as there is room. */
  readonly loaded: number;
}

/** Of a service that is started as `npm start` does, has these skills and routes messages by their texts. */
export async function routingServiceMemory(
  skills: readonly SkillTexts[],
  messages: number,
): Promise<ServiceMemory> {
  const scratch = openScratch();
  const dataFolder = join(scratch.folder, 'service');
  mkdirSync(dataFolder);
  const service = await startService(dataFolder, [], {
    HOSTED_AGENTS: writeAgent(scratch.folder, skills),
  });
  await untilIdle(service.process, PATIENCE_MS);
  const learned = peakMemory(service.process.pid);
  const token = await mintCallerToken(dataFolder, SCOPE);
  const texts = skills.flatMap(({ examples }) => examples);
  let sent = 0;
  const client = async (): Promise<void> => {
    const connection = await KeptConnection.open(service.port);
    while (sent < messages) {
      const text = texts[sent++ % texts.length] ?? '';
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
      const request = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
      const { status, text: answer } = await connection.post(
        `/a2a/${AGENT}`,
        token,
        JSON.stringify(request),
        'a2a-version: 1.0\r\n',
      );
      // Routed, or asked back where two skills are much alike.
      if (status !== 200 || !answer.includes('"task"')) throw new Error(`${status} ${answer}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const loaded = peakMemory(service.process.pid);
  await stopProcess(service.process);
  scratch.remove();
  return { learned, loaded };
}

function writeAgent(folder: string, skills: readonly SkillTexts[]): string {
  const capabilities = join(folder, 'capabilities');
  mkdirSync(capabilities);
  for (const { skillId: id, name, description, examples } of skills) {
    const manifest = {
      ...{ id, agentId: AGENT, state: 'ga', visibility: 'extended' },
      skill: {
        ...{ name, description, examples, tags: ['bench'] },
        ...{ inputModes: ['text/plain'], outputModes: ['text/plain'] },
      },
      ...{ requires_scopes: [SCOPE], tenants: '*', handler: 'echo', limits: {}, owner: 'bench' },
    };
    writeFileSync(join(capabilities, `${id}.json`), JSON.stringify(manifest));
  }
  const agent = {
    ...{ agentId: AGENT, tenant: 'bench.example', name: 'Bench', description: 'Many skills.' },
    ...{ version: '1.0', capabilities },
    handlers: [fileURLToPath(new URL('./echo-handler.mjs', import.meta.url))],
  };
  const file = join(folder, 'agents.json');
  writeFileSync(file, JSON.stringify({ agents: [agent] }));
  return file;
}

/** Highest resident memory of a process so far, in MiB. */
function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
