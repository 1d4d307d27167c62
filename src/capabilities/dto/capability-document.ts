import { ApiProperty } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Capability } from '../domain/capability.js';
import { manifestDocument } from '../domain/manifest-document.js';
import type { CapabilityUsage } from '../queries/usage-figures.js';
import type { Advice } from '../queries/registration-advice.js';
import { ManifestSchema } from './manifest-schema.js';

export class CapabilityDocument {
  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty()
  readonly skillId!: string;

  @ApiProperty({
    type: 'integer',
    description: 'Names this state of the capability: changes are written against it',
  })
  readonly revision!: number;

  @ApiProperty({ type: () => ManifestSchema })
  readonly manifest!: JsonObject;

  @ApiProperty({ type: 'integer', description: 'How many callers are let into the preview' })
  readonly optedInCallers!: number;

  @ApiProperty({ format: 'date-time' })
  readonly registeredAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly updatedAt!: string;
}

export class WarningDocument {
  @ApiProperty({ example: 'few-examples' })
  readonly code!: string;

  @ApiProperty()
  readonly detail!: string;
}

/** What a write answers: the capability, and what is worth knowing of it. */
export class WrittenCapabilityDocument extends CapabilityDocument {
  @ApiProperty({ type: () => [WarningDocument] })
  readonly warnings!: readonly WarningDocument[];
}

export class OptInPage {
  @ApiProperty({ type: [String], description: 'Agents, in the order of their ids' })
  readonly items!: readonly string[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page' })
  readonly nextCursor!: string | null;
}

export class UsageDayDocument {
  @ApiProperty({ format: 'date', description: 'UTC' })
  readonly day!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly calls!: number;
}

export class UsageDocument {
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'null: never' })
  readonly lastCall!: string | null;

  @ApiProperty({ type: 'integer', description: 'Calls that were admitted in the last 30 days' })
  readonly calls!: number;

  @ApiProperty({ type: () => [UsageDayDocument], description: 'Days with calls, oldest first' })
  readonly days!: readonly UsageDayDocument[];
}

export function capabilityDocument(capability: Capability): Plain<CapabilityDocument> {
  const { manifest, optedIn, revision, registeredAt, updatedAt } = capability;
  return {
    agentId: manifest.agentId,
    skillId: manifest.id,
    revision,
    manifest: manifestDocument(manifest),
    optedInCallers: optedIn.size,
    registeredAt,
    updatedAt,
  };
}

export function writtenCapabilityDocument(
  capability: Capability,
  warnings: readonly Advice[],
): Plain<WrittenCapabilityDocument> {
  return { ...capabilityDocument(capability), warnings };
}

export function usageDocument({ lastCall, days }: CapabilityUsage): Plain<UsageDocument> {
  return { lastCall, calls: days.reduce((sum, { calls }) => sum + calls, 0), days };
}
