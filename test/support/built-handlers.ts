import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { built } from './built.js';

interface AgentsFile {
  readonly agents: readonly { readonly handlers?: readonly string[] }[];
}

/**
 * The environment for a process, which reads no TypeScript: where it hosts agents whose handlers are
 * sources, their file is copied, beside itself, with the handlers of the build.
 */
export async function withBuiltHandlers(
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { HOSTED_AGENTS: file } = environment;
  if (file === undefined) return environment;
  const { agents, ...rest } = JSON.parse(await readFile(file, 'utf8')) as AgentsFile;
  const copy = file.replace(/\.json$/, '.built.json');
  const ofBuild = agents.map((agent) => ({
    ...agent,
    handlers: agent.handlers?.map(moduleOfBuild),
  }));
  await writeFile(copy, JSON.stringify({ ...rest, agents: ofBuild }));
  return { ...environment, HOSTED_AGENTS: copy };
}

function moduleOfBuild(handler: string): string {
  return handler.endsWith('.ts') ? built(pathToFileURL(handler)) : handler;
}
