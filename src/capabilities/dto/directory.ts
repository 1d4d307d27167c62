import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { MustBe } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { PageParameters } from '../../http/page-parameters.js';
import type { Plain } from '../../http/plain.js';
import type { LifecycleState, Visibility } from '../domain/manifest.js';
import type { ListedCapability } from '../queries/list-capabilities.js';

const STATES = ['preview', 'ga', 'deprecated', 'removed'] as const satisfies LifecycleState[];
const VISIBILITIES = ['public', 'extended', 'internal'] as const satisfies Visibility[];

function IsFilter(): PropertyDecorator {
  return MustBe(
    'a text of 1 to 255 characters',
    (value) => typeof value === 'string' && value !== '' && value.length <= 255,
  );
}

/** All filters that are given must hold. */
export class CapabilityListParameters extends PageParameters {
  @ApiPropertyOptional({ description: 'Capabilities of this hosted agent' })
  @IfPresent()
  @IsFilter()
  readonly agent?: string;

  @ApiPropertyOptional({ enum: STATES })
  @IfPresent()
  @IsIn(STATES)
  readonly state?: LifecycleState;

  @ApiPropertyOptional({ enum: VISIBILITIES })
  @IfPresent()
  @IsIn(VISIBILITIES)
  readonly visibility?: Visibility;

  @ApiPropertyOptional({ description: '`owner` of the manifest, exactly' })
  @IfPresent()
  @IsFilter()
  readonly owner?: string;
}

export class ListedCapabilityDocument {
  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty()
  readonly skillId!: string;

  @ApiProperty()
  readonly name!: string;

  @ApiProperty({ enum: STATES })
  readonly state!: LifecycleState;

  @ApiProperty({ enum: VISIBILITIES })
  readonly visibility!: Visibility;

  @ApiProperty()
  readonly owner!: string;

  @ApiProperty({ type: String, nullable: true })
  readonly replacement!: string | null;

  @ApiProperty({ type: 'integer' })
  readonly revision!: number;

  @ApiProperty({ format: 'date-time' })
  readonly updatedAt!: string;

  @ApiProperty({
    description:
      'False when a later event of the capability waits for an operator: the entry is old, and ' +
      'the capability is left out of cards and routing',
  })
  readonly reliable!: boolean;
}

export class CapabilityPage {
  @ApiProperty({
    type: () => [ListedCapabilityDocument],
    description: 'In the order of agent ids and skill ids',
  })
  readonly items!: readonly ListedCapabilityDocument[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page' })
  readonly nextCursor!: string | null;
}

export function listedCapability({
  capability,
  reliable,
}: ListedCapability): Plain<ListedCapabilityDocument> {
  const { manifest, revision, updatedAt } = capability;
  const { agentId, id: skillId, skill, state, visibility, owner, replacement } = manifest;
  const { name } = skill;
  return {
    agentId,
    skillId,
    name,
    state,
    visibility,
    owner,
    replacement,
    revision,
    updatedAt,
    reliable,
  };
}
