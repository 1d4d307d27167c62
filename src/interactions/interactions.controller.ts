import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../http/access.js';
import { Problems } from '../http/openapi/problems.js';
import type { Plain } from '../http/plain.js';
import { orReject } from '../http/rejection-exception.js';
import { CurrentWrite, type WriteRequest } from '../http/write-request.js';
import type { FederatedInteraction } from '../kernel/federated-interaction.js';
import { ACT_PROBLEMS, ON_EXISTING_PROBLEMS, TERMS_PROBLEMS } from './command-problems.js';
import {
  AcceptBody,
  CancelBody,
  CompleteBody,
  ConsentToErasureBody,
  ProposeBody,
  RejectBody,
  ReviseBody,
  WithdrawBody,
} from './dto/command-bodies.js';
import {
  acceptanceOf,
  cancellationOf,
  completionOf,
  proposalOf,
  rejectionOf,
  revisionOf,
  withdrawalOf,
} from './dto/to-command.js';
import { ErasureConsentsDocument } from './dto/erasure-documents.js';
import { WARNINGS_HEADER } from './dto/warnings.js';
import { WIRE_DOCUMENT } from './dto/wire-document-schema.js';
import { InteractionWrites } from './interaction-writes.js';

/** Negotiation. Every command answers with the whole wire document; a consent to its erasure cannot. */
@ApiTags('interactions')
@Controller('v1/interactions')
export class InteractionsController {
  constructor(private readonly writes: InteractionWrites) {}

  @Post()
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Propose an interaction',
    description: 'Revision 1, with the acceptance of the agent that proposes it.',
  })
  @ApiResponse({ status: 201, ...WIRE_DOCUMENT, ...WARNINGS_HEADER })
  @Problems(
    'interaction-id-invalid',
    'interaction-exists',
    'not-acting-agent',
    'parties-invalid',
    'expiry-invalid',
    ...TERMS_PROBLEMS,
    ...ACT_PROBLEMS,
    'method-not-permitted',
  )
  async propose(
    @Body() body: ProposeBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.propose(write, orReject(proposalOf(body)));
  }

  @Post(':interactionId/revisions')
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Counter an open proposal, or amend the terms in force',
    description:
      'Revision n+1, linked to the hash of revision n, with the acceptance of its proposer alone. ' +
      'An open proposal is superseded; terms in force stay in force until all have accepted.',
  })
  @ApiResponse({ status: 201, ...WIRE_DOCUMENT, ...WARNINGS_HEADER })
  @Problems(
    ...ON_EXISTING_PROBLEMS,
    'parties-changed',
    'terms-unchanged',
    'too-many-revisions',
    ...TERMS_PROBLEMS,
    ...ACT_PROBLEMS,
    'method-not-permitted',
  )
  async revise(
    @Param('interactionId') id: string,
    @Body() body: ReviseBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.revise(write, id, body, revisionOf);
  }

  @Post(':interactionId/acceptances')
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Accept the open proposal',
    description: 'The acceptance of the last party attests the revision and puts it in force.',
  })
  @ApiResponse({ status: 201, ...WIRE_DOCUMENT })
  @Problems(
    ...ON_EXISTING_PROBLEMS,
    'no-open-proposal',
    'already-accepted',
    'deadline-passed',
    'party-not-registered',
    'agent-retired',
    ...ACT_PROBLEMS,
    'method-not-permitted',
    'attestation-unavailable',
  )
  async accept(
    @Param('interactionId') id: string,
    @Body() body: AcceptBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.accept(write, id, body, acceptanceOf);
  }

  @Post(':interactionId/rejections')
  @HttpCode(200)
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Reject the open proposal of another party',
    description: 'Ends a pending interaction; an active one stays on the terms in force.',
  })
  @ApiResponse({ status: 200, ...WIRE_DOCUMENT })
  @Problems(...ON_EXISTING_PROBLEMS, 'no-open-proposal', 'proposer-cannot-reject', ...ACT_PROBLEMS)
  async reject(
    @Param('interactionId') id: string,
    @Body() body: RejectBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.change(write, id, body, rejectionOf);
  }

  @Post(':interactionId/withdrawal')
  @HttpCode(200)
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Withdraw one’s own open proposal',
    description: 'Cancels a pending interaction; an active one stays on the terms in force.',
  })
  @ApiResponse({ status: 200, ...WIRE_DOCUMENT })
  @Problems(...ON_EXISTING_PROBLEMS, 'no-open-proposal', 'only-proposer-withdraws', ...ACT_PROBLEMS)
  async withdraw(
    @Param('interactionId') id: string,
    @Body() body: WithdrawBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.change(write, id, body, withdrawalOf);
  }

  @Post(':interactionId/cancellation')
  @HttpCode(200)
  @RequireScope('interactions:write')
  @ApiOperation({ summary: 'End a pending or active interaction' })
  @ApiResponse({ status: 200, ...WIRE_DOCUMENT })
  @Problems(...ON_EXISTING_PROBLEMS, ...ACT_PROBLEMS)
  async cancel(
    @Param('interactionId') id: string,
    @Body() body: CancelBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.change(write, id, body, cancellationOf);
  }

  @Post(':interactionId/completion')
  @HttpCode(200)
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Report the outcome',
    description:
      'One answer for every entry of the terms in force. The interaction is completed once every ' +
      'party has reported; an amendment in force voids earlier reports.',
  })
  @ApiResponse({ status: 200, ...WIRE_DOCUMENT })
  @Problems(
    ...ON_EXISTING_PROBLEMS,
    'not-active',
    'already-reported',
    'report-incomplete',
    ...ACT_PROBLEMS,
  )
  async complete(
    @Param('interactionId') id: string,
    @Body() body: CompleteBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<FederatedInteraction> {
    return await this.writes.change(write, id, body, completionOf);
  }

  @Post(':interactionId/erasure-consents')
  @RequireScope('interactions:write')
  @ApiOperation({
    summary: 'Consent to the erasure of the texts of an ended interaction',
    description:
      'Each party once. The consent of the last one has them erased before their retention has run ' +
      'out; a single one changes nothing. A head may be named.',
  })
  @ApiResponse({ status: 201, type: ErasureConsentsDocument })
  @Problems(
    'interaction-not-found',
    'interaction-not-ended',
    'head-changed',
    'precondition-failed',
    'interaction-erased',
    'already-consented',
    ...ACT_PROBLEMS,
  )
  async consentToErasure(
    @Param('interactionId') id: string,
    @Body() body: ConsentToErasureBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<ErasureConsentsDocument>> {
    return await this.writes.consentToErasure(write, id, body);
  }
}
