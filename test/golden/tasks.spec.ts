import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { StoredTaskEvent } from '../../src/a2a/tasks/domain/events.js';
import { evolveTask, type TaskFoldState } from '../../src/a2a/tasks/domain/evolve.js';
import {
  evolveProgress,
  NO_PROGRESS,
  type WebhookEvent,
  type WebhookProgress,
} from '../../src/a2a/tasks/domain/webhook-progress.js';
import { TASK_EVENT_TYPES, WEBHOOK_EVENT_TYPES } from '../../src/a2a/tasks/event-types.js';
import type { EventEnvelope } from '../../src/kernel/envelope.js';
import { schemaFaults } from '../support/event-schemas.js';
import { replay } from './stored-log.js';

/** Streams of the task store: maps are stored as objects. */
interface StoredTaskStreams {
  readonly events: readonly EventEnvelope[];
  readonly fold: object;
  readonly webhooks: readonly EventEnvelope[];
  readonly progress: object;
}

const streams = JSON.parse(
  readFileSync(new URL('./tasks.json', import.meta.url), 'utf8'),
) as readonly StoredTaskStreams[];

/** Without what a fold costs to keep, which is an estimate of each build. */
function asStored(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) => {
    if (name === 'weight') return undefined;
    return member instanceof Map ? Object.fromEntries(member) : member;
  });
  return JSON.parse(text);
}

it('the streams hold every type of event', () => {
  const types = streams.flatMap(({ events, webhooks }) =>
    [...events, ...webhooks].map(({ type }) => type),
  );
  expect([...new Set(types)].sort()).toEqual(
    [...Object.keys(TASK_EVENT_TYPES), ...Object.keys(WEBHOOK_EVENT_TYPES)].sort(),
  );
});

it('in envelopes as all others', () => {
  for (const { events, webhooks } of streams) {
    for (const envelope of [...events, ...webhooks]) {
      expect(schemaFaults('envelope', envelope)).toEqual([]);
    }
  }
});

it('folds to the same tasks', () => {
  for (const { events, fold } of streams) {
    const recorded = replay<StoredTaskEvent>({ events }, TASK_EVENT_TYPES);
    expect(asStored(recorded.reduce<TaskFoldState>(evolveTask, null))).toEqual(asStored(fold));
  }
});

it('folds to the same progress of their webhooks', () => {
  for (const { webhooks, progress } of streams) {
    const recorded = replay<WebhookEvent>({ events: webhooks }, WEBHOOK_EVENT_TYPES);
    const folded = recorded.reduce<WebhookProgress>(evolveProgress, NO_PROGRESS);
    expect(asStored(folded)).toEqual(progress);
  }
});
