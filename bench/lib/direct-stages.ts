import { performance } from 'node:perf_hooks';
import { readDirectCall } from '../../src/a2a/direct-invoke/read-direct-call.js';
import { readContractClaim } from '../../src/a2a/turns/contract-claim.js';
import { RequestNegotiation } from '../../src/a2a/negotiation/request-negotiation.js';
import { readRequest, sendMessageRequest } from '../../src/a2a/wire/requests.js';
import type { Capability } from '../../src/capabilities/domain/capability.js';
import { SchemaJudges } from '../../src/capabilities/queries/schemas/schema-judges.js';
import { createAuthenticator } from '../../src/http/authentication/create-authenticator.js';
import { AuthorizationFacts } from '../../src/invocations/authorization-facts.js';
import { outputOf } from '../../src/invocations/backends/output.js';
import { authorize, type AgentPair } from '../../src/invocations/domain/authorize.js';
import type { Caller } from '../../src/kernel/caller.js';
import type { SkillId } from '../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../src/kernel/json.js';
import { parseStrictJson } from '../../src/kernel/strict-json.js';
import { invokeHeaders, invokeRequest } from '../direct-invoke-client.js';
import type { BenchAgent } from '../negotiation-client.js';
import { AGENT, echoSkill } from './direct-agent.js';
import { KeptConnection } from './kept-connection.js';
import type { ServiceHere } from './service-here.js';
import { median } from './statistics.js';

const TIMES = 3000;
/** Of the A2A routes. */
const LIMITS = { maxBytes: 4 * 1024 * 1024, maxDepth: 64, maxValues: 50_000 };

/** A stage of a direct invoke that waits for nothing, and what it costs: median, in microseconds. */
type Stage = readonly [name: string, microseconds: number];

/** Does what a service does with a real request and a real answer of it, stage by stage. */
export async function measureStages(
  { app, config, port }: ServiceHere,
  { token }: BenchAgent,
  uri: string,
): Promise<{ readonly stages: readonly Stage[]; readonly decisionUs: number }> {
  const loose = { strict: false };
  const { body } = invokeRequest(uri, echoSkill(0));
  const sent = JSON.stringify(body);
  const connection = await KeptConnection.open(port);
  const { text } = await connection.post(`/a2a/${AGENT}`, token, sent, invokeHeaders(uri));
  connection.close();
  const answer = JSON.parse(text) as JsonObject;

  const [agent] = config.a2a.agents;
  if (agent === undefined) throw new Error('no agent is hosted');
  const bytes = Buffer.from(sent);
  const extensions = new Set([uri]);
  const parse = () => {
    const parsed = parseStrictJson(bytes, LIMITS);
    const params = parsed.ok ? (parsed.value as JsonObject)['params'] : undefined;
    const request = readRequest(sendMessageRequest, params, agent.agentId);
    if (!request.ok) throw new Error(JSON.stringify(request.error));
    readContractClaim(request.value, config.a2a.trustExtensionUri);
    const direct = readDirectCall({ extensions }, request.value, uri);
    if (!direct.ok || direct.value === null) throw new Error('it is no direct invoke');
    return direct.value;
  };
  const authenticator = await createAuthenticator(config, Date.now);
  const authorization = `Bearer ${token}`;
  const caller = await authenticator.authenticate(authorization);
  const negotiation = app.get(RequestNegotiation, loose);
  const facts = app.get(AuthorizationFacts, loose);
  const capability = await facts.atHead.capability(AGENT, echoSkill(0) as SkillId);
  const directInvoke = capability?.manifest.directInvoke;
  if (!directInvoke) throw new Error('the capability is not there');
  const schemas = app.get(SchemaJudges, loose);
  const given: Json = parse().arguments;
  const stages: readonly Stage[] = [
    ['parse', timeOf(parse)],
    ['authentication', timeOf(() => authenticator.authenticate(authorization))],
    [
      'negotiation',
      timeOf(() => {
        // Twice: for the header of the answer, and for the call.
        negotiation.extensions(agent, uri);
        negotiation.version('1.0', undefined);
        negotiation.extensions(agent, uri);
      }),
    ],
    [
      'schema',
      timeOf(() => {
        const faults = schemas.of(directInvoke.inputSchema)?.faults(given);
        const output = outputOf(given);
        const fits = output.ok && schemas.of(directInvoke.outputSchema)?.fits(output.value);
        if (faults?.length !== 0 || fits !== true) throw new Error('it does not fit');
      }),
    ],
    ['serialisation', timeOf(() => JSON.stringify(answer))],
  ];
  return { stages, decisionUs: await decisionTime(facts, capability, caller) };
}

/** Of the pure function alone. */
async function decisionTime(
  { atHead }: AuthorizationFacts,
  capability: Capability | undefined,
  caller: Caller,
): Promise<number> {
  if (caller.agent === null) throw new Error('an agent asks');
  const agents = await atHead.agents([caller.agent, AGENT]);
  const pair: AgentPair = {
    calling: agents.get(caller.agent),
    hosted: agents.get(AGENT),
    contracts: await atHead.contracts(caller.agent, AGENT),
    named: undefined,
    vocabulary: atHead.vocabulary(AGENT),
  };
  const now = atHead.now();
  return timeOf(() => {
    const decision = authorize(capability, caller, pair, { named: null }, now);
    if (decision.kind !== 'grant') throw new Error(decision.code);
  });
}

/** Median of many, in microseconds: ten at a time, since the clock is coarse. */
function timeOf(work: () => unknown): number {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now();
    for (let each = 0; each < 10; each++) work();
    times.push((performance.now() - began) * 100);
  }
  return median(times);
}
