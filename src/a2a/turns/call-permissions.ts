import type { ApprovalLedger } from '../../invocations/commands/approval-ledger.js';
import type { AuthorizationRefusal } from '../../invocations/domain/authorization.js';
import type { AuthorizationAnswer, Authorizer } from '../../invocations/queries/authorizer.js';
import type { SkillId, Uuid } from '../../kernel/ids.js';
import type { ReceivedMessage } from './received-message.js';
import type { RunningTurns } from './running-turns.js';

/** What permissions are asked of, and refusals told. */
export interface PermissionParts {
  readonly authorizer: Authorizer;
  readonly approvals: Pick<ApprovalLedger, 'refuse' | 'count'>;
  readonly turns: Pick<RunningTurns, 'inBackground'>;
}

/** A call that is refused, as it goes on record. */
export interface RefusedTurn {
  readonly skillId: SkillId;
  readonly refusal: AuthorizationRefusal;
  readonly basedOn: AuthorizationAnswer['basedOn'];
  /** The id that the call would have had. */
  readonly invocationId: Uuid;
  /** Of a direct invoke's arguments; otherwise that of the message. */
  readonly argumentsDigest: string;
}

/** Asks whether a message may call a capability, and sees to the record of refusals. */
export class CallPermissions {
  constructor(private readonly parts: PermissionParts) {}

  async ask(
    { request, contract }: Pick<ReceivedMessage, 'request' | 'contract'>,
    skillId: SkillId,
  ): Promise<AuthorizationAnswer> {
    const { agent, caller } = request;
    return await this.parts.authorizer.authorize({
      agentId: agent.agentId,
      skillId,
      caller,
      named: contract,
    });
  }

  /**
   * Counts a refusal that is no decision on a contract.
   * @param code of `authorize`, or the one that the caller is told
   */
  count(code: string): void {
    this.parts.approvals.count(code);
  }

  /** Puts on record that a party of a contract was refused; anybody else is counted alone. */
  record({ request }: Pick<ReceivedMessage, 'request'>, refused: RefusedTurn): void {
    const { caller, agent, correlationId, traceparent } = request;
    const { refusal, ...call } = refused;
    const { approvals, turns } = this.parts;
    const { code, terms } = refusal;
    if (caller === null || !refusal.isParty) {
      this.count(code);
      return;
    }
    // Nobody waits for it: a refusal stands whether it is on record or not.
    turns.inBackground(
      approvals.refuse(
        { ...call, agentId: agent.agentId, caller, code, terms },
        { correlationId, traceparent },
      ),
    );
  }
}
