import type { JsonObject } from '../../../src/kernel/json.js';
import type { Answer, TestService, TokenOptions } from '../../support/service.js';
import { eventually } from '../../support/eventually.js';
import { HOST_TENANT } from './deployment.js';

export interface Approval extends JsonObject {
  readonly invocationId: string;
  readonly taskId: string;
  readonly termsHash: string;
  readonly argumentsDigest: string;
  readonly state: string;
}

/** Somebody of the hosted agent's tenant who decides on calls over REST. */
export class Approver {
  private constructor(
    private readonly service: TestService,
    private readonly token: string,
  ) {}

  static async of(service: TestService, options: TokenOptions = {}): Promise<Approver> {
    const usual = {
      principal: 'approver',
      tenant: HOST_TENANT,
      scopes: ['approvals:decide'],
    } as const;
    return new Approver(service, await service.token({ ...usual, ...options }));
  }

  async list(state = 'pending'): Promise<readonly Approval[]> {
    const items: Approval[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ state, limit: '2', ...(cursor !== null && { cursor }) });
      const answer = await this.#call('GET', `?${query.toString()}`);
      if (answer.status !== 200) throw new Error(answer.text);
      const page = answer.body as unknown as { items: Approval[]; nextCursor: string | null };
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return items;
  }

  /** The pending approval of a task, once the list has it. */
  async pendingFor(taskId: string): Promise<Approval> {
    return this.#listed('pending', (each) => each.taskId === taskId);
  }

  /** Some approval that was denied, once the list has one. */
  async denied(): Promise<Approval> {
    return this.#listed('denied', () => true);
  }

  /** The list is a view, which follows its events. */
  async #listed(state: string, is: (each: Approval) => boolean): Promise<Approval> {
    let found: Approval | undefined;
    await eventually(async () => {
      found = (await this.list(state)).find(is);
      return found !== undefined;
    });
    return found as unknown as Approval;
  }

  read(invocationId: string): Promise<Answer> {
    return this.#call('GET', `/${invocationId}`);
  }

  decide(
    { invocationId, termsHash, argumentsDigest }: Approval,
    decision: 'approve' | 'deny',
    more: JsonObject = {},
  ): Promise<Answer> {
    const body = { decision, termsHash, argumentsDigest, ...more };
    return this.#call('POST', `/${invocationId}/decision`, body);
  }

  #call(method: string, rest: string, body?: JsonObject): Promise<Answer> {
    const { token } = this;
    const sent = body === undefined ? { token } : { token, body };
    return this.service.call(method, `/v1/approvals${rest}`, sent);
  }
}

/** State and code of an answer about an approval, in a word. */
export function verdictOf({ status, body }: Answer): string {
  return String(status < 400 ? body['state'] : body['code']);
}
