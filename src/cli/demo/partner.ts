import { randomUUID } from 'node:crypto';
import {
  Role,
  TaskState,
  taskStateToJSON,
  type AgentCard,
  type Part,
  type Task,
} from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { connect } from './sdk-client.js';

/** What became of a message: its task, or why it was refused. */
export type Outcome =
  | { readonly kind: 'task'; readonly task: Task; readonly state: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** A caller of another company, who talks through the official client of the protocol. */
export class Partner {
  private constructor(private readonly client: Client) {}

  /** Fetches the agent's public card, as anybody may, and goes on with the token. */
  static async meet(baseUrl: string, token: string): Promise<Partner> {
    return new Partner(await connect(baseUrl, token));
  }

  /** The card that this caller is entitled to. */
  async card(): Promise<AgentCard> {
    return await this.client.getAgentCard();
  }

  async send(parts: readonly Part[], preferredSkill?: string): Promise<Outcome> {
    try {
      const result = await this.client.sendMessage({
        tenant: '',
        message: {
          messageId: randomUUID(),
          contextId: '',
          taskId: '',
          role: Role.ROLE_USER,
          parts: [...parts],
          metadata: preferredSkill === undefined ? undefined : { skillId: preferredSkill },
          extensions: [],
          referenceTaskIds: [],
        },
        configuration: undefined,
        metadata: undefined,
      });
      if (!('status' in result)) throw new Error('the agent answered without a task');
      const state = taskStateToJSON(result.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED);
      return { kind: 'task', task: result, state };
    } catch (error) {
      return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
    }
  }
}

export function textPart(text: string): Part {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  };
}

export function pdfPart(filename: string): Part {
  return {
    content: { $case: 'raw', value: Buffer.from('%PDF-1.4\n%%EOF\n') },
    metadata: undefined,
    filename,
    mediaType: 'application/pdf',
  };
}
