import { expect, it } from '@jest/globals';
import { fold } from '../../src/kernel/event.js';
import { PROCESS_EVENT_TYPES, type ProcessEvent } from '../../src/processes/events.js';
import {
  evolveProcess,
  NO_PROCESS_STATE,
  type ProcessState,
} from '../../src/processes/process-state.js';
import { expectSchemasToHold, readStored, replay, type StoredLog } from './stored-log.js';

const log = readStored<StoredLog & { readonly state: ProcessState }>(
  new URL('./processes.json', import.meta.url),
);

it('the log holds every type of event', () => {
  const types = new Set(log.events.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(PROCESS_EVENT_TYPES).sort());
});

it('matches the schemas of its events', () => {
  expectSchemasToHold(log, PROCESS_EVENT_TYPES);
});

it('folds to the same lease and checkpoint', () => {
  const events = replay<ProcessEvent>(log, PROCESS_EVENT_TYPES);
  expect(fold(evolveProcess, NO_PROCESS_STATE, events)).toEqual(log.state);
});
