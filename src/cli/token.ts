import { DEFAULT_DATA_FOLDER, devIssuerKeyFile } from '../config/data-folder.js';
import { PrivateFileError } from '../config/private-file.js';
import { loadDevKey, mintDevToken } from '../http/authentication/dev-issuer.js';
import { isScope, SCOPES } from '../kernel/caller.js';
import { parseAgentId } from '../kernel/ids.js';
import { err, ok, type Result } from '../kernel/result.js';
import { cliFault, type CliFault } from './cli-fault.js';
import type { Command } from './command.js';
import { parseArguments } from './parse-arguments.js';

const MAX_TTL_SECONDS = 30 * 24 * 60 * 60;

const usage = `Usage: countersign token --sub PRINCIPAL --tenant TENANT [options]

Mints an access token of the local issuer, which only a service started with COUNTERSIGN_DEV=1 in
the same data folder believes.

  --sub PRINCIPAL      who calls
  --tenant TENANT      whose tenant
  --client ID          the OAuth client that the token is issued to
  --agent ID           the agent that the token is bound to
  --scope "A B"        scopes, separated by spaces; may be given several times:
                       ${SCOPES.slice(0, 4).join(' ')}
                       ${SCOPES.slice(4, 7).join(' ')}
                       ${SCOPES.slice(7).join(' ')}
                       or whatever scope a capability asks for
  --ttl SECONDS        life time, 3600 by default
  --data-folder FOLDER the service's data folder, ${DEFAULT_DATA_FOLDER} by default
`;

export const token: Command = {
  usage,
  async run(args) {
    const parsed = parseArguments(
      args,
      {
        sub: { type: 'string' },
        tenant: { type: 'string' },
        client: { type: 'string' },
        agent: { type: 'string' },
        scope: { type: 'string', multiple: true },
        ttl: { type: 'string' },
        'data-folder': { type: 'string' },
      } as const,
      0,
    );
    if (!parsed.ok) return parsed;
    const { sub, tenant, client, agent, ttl, scope, 'data-folder': folder } = parsed.value.values;
    if (!sub || !tenant) return err(cliFault('usage', '--sub and --tenant are required'));
    if (agent !== undefined && parseAgentId(agent) === undefined) {
      return err(cliFault('usage', `${agent} is no agent id`));
    }
    const scopes = parseScopes(scope ?? []);
    if (!scopes.ok) return scopes;
    const lifetimeSeconds = /^\d{1,7}$/.test(ttl ?? '3600') ? Number(ttl ?? 3600) : 0;
    if (lifetimeSeconds < 1 || lifetimeSeconds > MAX_TTL_SECONDS) {
      return err(cliFault('usage', `--ttl is 1 to ${MAX_TTL_SECONDS} seconds`));
    }
    const key = await findDevKey(devIssuerKeyFile(folder ?? DEFAULT_DATA_FOLDER));
    if (!key.ok) return key;
    const claims = { principal: sub, tenant, client, agent, scopes: scopes.value, lifetimeSeconds };
    return ok({ stdout: `${await mintDevToken(key.value, claims, Date.now())}\n` });
  },
};

/** Names of the service's own scopes begin so; whatever begins so and is none of them is a slip. */
const OWN_SCOPE = new RegExp(
  `^(${[...new Set(SCOPES.map((scope) => scope.split(':')[0]))].join('|')}):`,
);

/** The service's scopes, and whatever scopes capabilities ask for. */
function parseScopes(texts: readonly string[]): Result<readonly string[], CliFault> {
  const names = texts.flatMap((text) => text.split(' ')).filter((name) => name !== '');
  for (const name of names) {
    const isKnown = SCOPES.some((scope) => scope === name);
    if (!isScope(name) || (!isKnown && OWN_SCOPE.test(name))) {
      return err(cliFault('usage', `${name} is no scope`));
    }
  }
  return ok([...new Set(names)]);
}

type DevKey = NonNullable<Awaited<ReturnType<typeof loadDevKey>>>;

async function findDevKey(file: string): Promise<Result<DevKey, CliFault>> {
  try {
    const key = await loadDevKey(file);
    if (key !== undefined) return ok(key);
  } catch (error) {
    if (!(error instanceof PrivateFileError)) throw error;
    return err(cliFault('dev-issuer-unreadable', error.message));
  }
  const detail = `${file} does not exist: start the service there with COUNTERSIGN_DEV=1 first`;
  return err(cliFault('dev-issuer-missing', detail));
}
