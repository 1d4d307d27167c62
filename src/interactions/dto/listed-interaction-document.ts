import { ApiProperty } from '@nestjs/swagger';

/** One interaction as the list shows it; terms are those that its document shows. */
export class ListedInteractionDocument {
  @ApiProperty({ format: 'uuid' })
  readonly interactionId!: string;

  @ApiProperty({ description: 'Expired from `expiresAt` on, recorded or not' })
  readonly status!: string;

  @ApiProperty()
  readonly initiatorAgentId!: string;

  @ApiProperty()
  readonly responderAgentId!: string;

  @ApiProperty({ type: [String] })
  readonly parties!: readonly string[];

  @ApiProperty({ type: String, nullable: true, description: 'null once the texts are erased' })
  readonly taskCategory!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Of the contract; null without one, or once the texts are erased',
  })
  readonly deadline!: string | null;

  @ApiProperty({ type: 'integer' })
  readonly contractRevision!: number;

  @ApiProperty({ type: [String], description: 'Whose move it is' })
  readonly waitingOn!: readonly string[];

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly updatedAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;

  @ApiProperty({
    description: 'False when a later event waits for an operator: the entry is old',
  })
  readonly reliable!: boolean;
}

export class InteractionListPage {
  @ApiProperty({
    type: () => [ListedInteractionDocument],
    description: 'The newest proposal first',
  })
  readonly items!: readonly ListedInteractionDocument[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null on the last page; a page may be short, even empty, and not the last',
  })
  readonly nextCursor!: string | null;
}
