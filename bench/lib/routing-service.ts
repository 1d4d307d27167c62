import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillTexts } from '../../src/a2a/routing/text-classifier.js';
import { mintCallerToken } from './caller-token.js';
import { startService, stopProcess, untilIdle } from './child-service.js';
import { writeEchoAgent } from './echo-agent.js';
import { KeptConnection } from './kept-connection.js';
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
    HOSTED_AGENTS: writeEchoAgent(scratch.folder, {
      agentId: AGENT,
      name: 'Bench',
      description: 'Many skills.',
      scope: SCOPE,
      // A card wants some.
      skills: skills.map((skill) => ({ ...skill, tags: ['bench'] })),
    }),
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

/** Highest resident memory of a process so far, in MiB. */
function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
