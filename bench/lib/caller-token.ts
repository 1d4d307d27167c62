import { devIssuerKeyFile } from '../../src/config/data-folder.js';
import type { Scope } from '../../src/kernel/caller.js';
import { loadDevKey, mintDevToken } from '../../src/http/authentication/dev-issuer.js';

/** A token of the service's own issuer, for a caller of another tenant with one scope. */
export async function mintCallerToken(dataFolder: string, scope: string): Promise<string> {
  const issuer = await loadDevKey(devIssuerKeyFile(dataFolder));
  if (issuer === undefined) throw new Error('the local issuer has no key');
  const claims = {
    principal: 'caller',
    tenant: 'caller.example',
    agent: 'agent-caller',
    scopes: [scope as Scope],
    lifetimeSeconds: 3600,
  };
  return mintDevToken(issuer, claims, Date.now());
}
