import { Body, Controller, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { HostedAgent } from '../config/hosted-agents.js';
import { HOSTED_AGENTS } from '../config/tokens.js';
import { RequireScope } from '../http/access.js';
import { Problems } from '../http/openapi/problems.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { CurrentWrite, type WriteRequest } from '../http/write-request.js';
import {
  CHANGE_PROBLEMS,
  MANIFEST_PROBLEMS,
  REPLACEMENT_PROBLEMS,
  REVISION_PROBLEMS,
} from './capability-problems.js';
import { addressOf, CapabilityReads } from './capability-reads.js';
import { CapabilityWrites } from './capability-writes.js';
import { readManifest } from './commands/read-manifest.js';
import { WrittenCapabilityDocument } from './dto/capability-document.js';
import { ChangeStateBody, RevisionParameters } from './dto/change-state-body.js';
import { ManifestSchema } from './dto/manifest-schema.js';

const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'The ETag of the capability as last read; either this or `expectedRevision`.',
};

/** What operators make of the registry. */
@ApiTags('capabilities')
@Controller('v1/capabilities')
export class CapabilityChangesController {
  constructor(
    private readonly writes: CapabilityWrites,
    private readonly reads: CapabilityReads,
    @Inject(HOSTED_AGENTS) private readonly hosted: readonly HostedAgent[],
  ) {}

  @Post()
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Register a capability of a hosted agent',
    description:
      'The body is its manifest. Cards, routing and enforcement follow from it alone. A manifest with ' +
      'faults is refused with all of them: with the code of the rule when it breaks one and nothing ' +
      'else is wrong, otherwise with `manifest-invalid`. `warnings` of the answer say what may be ' +
      'hard to route, and whether this process has its handler.',
  })
  @ApiBody({ type: ManifestSchema })
  @ApiCreatedResponse({ type: WrittenCapabilityDocument })
  @Problems(
    'agent-not-hosted',
    'capability-exists',
    'lifecycle-transition-invalid',
    ...MANIFEST_PROBLEMS,
    ...REPLACEMENT_PROBLEMS,
    'idempotency-key-reused',
    'contention',
  )
  async register(@CurrentWrite() write: WriteRequest): Promise<Plain<WrittenCapabilityDocument>> {
    const agentId = this.hosted[0]?.agentId;
    if (agentId === undefined) throw new RejectionException({ code: 'agent-not-hosted' });
    const manifest = orReject(readManifest(write.raw, agentId));
    return await this.writes.register(write, { kind: 'register', manifest });
  }

  @Put(':agentId/:skillId')
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Revise a capability',
    description:
      'The body is the whole manifest, with the state and the replacement of today. Modes and ' +
      'schemas of a capability that was released cannot change: another meaning is another id.',
  })
  @ApiHeader(IF_MATCH)
  @ApiBody({ type: ManifestSchema })
  @ApiOkResponse({ type: WrittenCapabilityDocument })
  @Problems(
    ...CHANGE_PROBLEMS,
    ...REVISION_PROBLEMS,
    ...MANIFEST_PROBLEMS,
    'replacement-unexpected',
    'replacement-more-restricted',
    'state-changes-separately',
    'capability-meaning-changed',
  )
  async revise(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Query() { expectedRevision }: RevisionParameters,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    const address = addressOf(agentId, skillId);
    // Whoever may not know of it learns nothing about a manifest either.
    await this.reads.find(address, write.request.caller);
    const manifest = orReject(readManifest(write.raw, address.agentId));
    const faults = [
      ...(manifest.id === address.skillId ? [] : [elsewhere('/id')]),
      ...(manifest.agentId === address.agentId ? [] : [elsewhere('/agentId')]),
    ];
    if (faults.length > 0) throw new RejectionException({ code: 'request-invalid', faults });
    return await this.writes.change(
      write,
      expectedRevision === undefined ? undefined : Number(expectedRevision),
      (revision) => ({ kind: 'revise', manifest, expectedRevision: revision }),
    );
  }

  @Post(':agentId/:skillId/state')
  @HttpCode(200)
  @RequireScope('capabilities:write')
  @ApiOperation({
    summary: 'Move a capability on in its life',
    description:
      'From preview to ga to deprecated to removed, one step at a time and never back. A deprecated ' +
      'one may be given another replacement, or none (`null`). What stays as it was is not judged ' +
      'again: it may be removed although its replacement is removed by now; its callers are led on ' +
      'to what replaces that.',
  })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: WrittenCapabilityDocument })
  @Problems(
    ...CHANGE_PROBLEMS,
    ...REVISION_PROBLEMS,
    ...REPLACEMENT_PROBLEMS,
    'lifecycle-transition-invalid',
    'capability-in-use',
    'projection-behind',
  )
  async changeState(
    @Param('agentId') agentId: string,
    @Param('skillId') skillId: string,
    @Body() body: ChangeStateBody,
    @CurrentWrite() write: WriteRequest,
  ): Promise<Plain<WrittenCapabilityDocument>> {
    const { state, reason, force = false } = body;
    if (force && (reason === undefined || reason.trim() === '')) {
      const faults = [{ pointer: '/reason', detail: 'is needed to force a removal' }];
      throw new RejectionException({ code: 'request-invalid', faults });
    }
    const address = addressOf(agentId, skillId);
    // Of the revision that the change names, or the change is refused.
    const { manifest } = await this.reads.find(address, write.request.caller);
    const { replacement = manifest.replacement } = body;
    return await this.writes.change(write, body.expectedRevision, (expectedRevision) => ({
      kind: 'change-state',
      ...address,
      state,
      replacement,
      expectedRevision,
      reason,
      force,
    }));
  }
}

function elsewhere(pointer: string): { readonly pointer: string; readonly detail: string } {
  return { pointer, detail: 'names another capability than the address' };
}
