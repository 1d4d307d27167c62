import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_DIRECT_INVOKE_EXTENSION } from '../src/config/read-extensions.js';
import { startService, stopProcess } from './lib/child-service.js';
import { AGENT, echoSkill, negotiateContract, prepareDirectAgent } from './lib/direct-agent.js';
import { LoadProcess } from './lib/load-process.js';
import { openScratch } from './lib/scratch.js';
import { median } from './lib/statistics.js';
const C = Number(process.env['C'] ?? 32);
const scratch = openScratch();
const clients = new LoadProcess<any, any>(new URL('./direct-invoke-client.ts', import.meta.url));
const folder = join(scratch.folder, 'p');
const env = await prepareDirectAgent(folder, Number(process.env['M'] ?? 10));
const out = join(scratch.folder, 'prof');
const service = await startService(folder, process.env['PROF'] ? ['--cpu-prof', `--cpu-prof-dir=${out}`] : [], env);
const { token } = await negotiateContract(service, folder);
for (let i = 0; i < 4; i++) {
  const r = await clients.run({ path: `/a2a/${AGENT}`, uri: DEFAULT_DIRECT_INVOKE_EXTENSION, port: service.port, token, skills: Array.from({length: 10}, (_, n) => echoSkill(n)), answers: 'data', concurrency: C, milliseconds: Number(process.env['MS'] ?? 2000) });
  console.log(`${(r.calls / r.seconds).toFixed(0)} calls/s p50 ${median(r.latencies).toFixed(2)} dispatch ${median(r.dispatch)} backend ${median(r.backend)}`);
}
await stopProcess(service.process);
await clients.stop();
if (process.env['PROF']) {
  for (const f of readdirSync(out)) {
    const p = JSON.parse(readFileSync(join(out, f), 'utf8'));
    const nodes = new Map<number, any>(p.nodes.map((n: any) => [n.id, n]));
    const self = new Map<string, number>(); let total = 0;
    const par = new Map<number, number>(); for (const n of p.nodes) for (const c of n.children ?? []) par.set(c, n.id);
    let clock = 0; const all = p.timeDeltas.reduce((a: number, b: number) => a + b, 0);
    const incl = new Map<string, number>();
    const name = (n: any) => `${n.callFrame.functionName} ${n.callFrame.url.replace(/^.*\/(dist|node_modules)\//, '')}:${n.callFrame.lineNumber + 1}`;
    for (const [i, id] of p.samples.entries()) {
      const n = nodes.get(id); const t = p.timeDeltas[i]; clock += t; if (clock < all - 3.4e6 || clock > all - 0.3e6) continue;
      if (n.callFrame.functionName === '(idle)') { self.set('IDLE', (self.get('IDLE') ?? 0) + t); continue; }
      total += t; self.set(name(n), (self.get(name(n)) ?? 0) + t);
      const seen = new Set<string>(); let x: number | undefined = id;
      while (x !== undefined) { const k = name(nodes.get(x)); if (!seen.has(k)) { seen.add(k); incl.set(k, (incl.get(k) ?? 0) + t); } x = par.get(x); }
    }
    const top = (m: Map<string, number>, k: number) => [...m].sort((a, b) => b[1] - a[1]).slice(0, k).forEach(([a, b]) => console.log(`${(100 * b / total).toFixed(1).padStart(6)}% ${a}`));
    console.log('--- self'); top(self, 50); console.log('--- inclusive'); top(incl, 110);
  }
}
scratch.remove();
