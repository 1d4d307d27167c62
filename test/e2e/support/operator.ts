import type { JsonObject } from '../../../src/kernel/json.js';
import type { Answer, TestService } from '../../support/service.js';
import { HOST_TENANT } from './deployment.js';

/** Manages the capabilities of a hosted agent over REST; a refusal is an error. */
export class Operator {
  private constructor(
    private readonly service: TestService,
    private readonly agentId: string,
    readonly token: string,
  ) {}

  static async of(service: TestService, agentId: string): Promise<Operator> {
    const token = await service.token({
      principal: 'operator',
      tenant: HOST_TENANT,
      scopes: ['capabilities:write', 'capabilities:read', 'operator:explain'],
    });
    return new Operator(service, agentId, token);
  }

  async register(manifest: JsonObject): Promise<void> {
    await this.#call('POST', '', manifest);
  }

  async optIn(skillId: string, caller: string): Promise<void> {
    await this.#call('PUT', this.#path(skillId, `/opt-ins/${caller}`));
  }

  async optOut(skillId: string, caller: string): Promise<void> {
    await this.#call('DELETE', this.#path(skillId, `/opt-ins/${caller}`));
  }

  /** Puts another manifest in the place of the one that stands. */
  async revise(skillId: string, manifest: JsonObject): Promise<void> {
    const { body } = await this.#call('GET', this.#path(skillId));
    const at = `?expectedRevision=${String(body['revision'])}`;
    await this.#call('PUT', this.#path(skillId, at), { agentId: this.agentId, ...manifest });
  }

  /** Moves a capability on from the revision at which it is. */
  async become(skillId: string, change: JsonObject): Promise<Answer> {
    const { body } = await this.#call('GET', this.#path(skillId));
    const next = { expectedRevision: body['revision'] ?? null, ...change };
    return this.#call('POST', this.#path(skillId, '/state'), next);
  }

  #path(skillId: string, rest = ''): string {
    return `/${this.agentId}/${skillId}${rest}`;
  }

  async #call(method: string, path: string, body?: JsonObject): Promise<Answer> {
    const { token } = this;
    const sent = body === undefined ? { token } : { token, body };
    const answer = await this.service.call(method, `/v1/capabilities${path}`, sent);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  }
}
