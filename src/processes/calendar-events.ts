import type { EventTypes } from '../event-store/codec.js';
import type { DomainEvent } from '../kernel/event.js';
import type { InteractionId } from '../kernel/ids.js';
import type { Timestamp } from '../kernel/timestamp.js';
import { processStream } from './events.js';

/** One hour, in UTC, as a timestamp begins with it: `2030-01-31T14`. */
export type CalendarPage = string;

/** What a process has to do with an interaction at a moment, and which event made it so. */
export interface NotedItem {
  readonly interactionId: InteractionId;
  readonly dueAt: Timestamp;
  /** Of the causing event. */
  readonly eventId: string;
  readonly correlationId: string;
}

/** From now on there may be items on these pages. */
export type CalendarPagesBegun = DomainEvent<
  'calendar-pages-begun',
  { readonly node: string; readonly pages: readonly CalendarPage[] },
  null
>;

/** Nothing on the page is left to do. */
export type CalendarPageDone = DomainEvent<
  'calendar-page-done',
  { readonly node: string; readonly page: CalendarPage },
  null
>;

/** What stands in `process-<name>-calendar`: which pages are to be opened some time. */
export type CalendarIndexEvent = CalendarPagesBegun | CalendarPageDone;

/** In the order in which they were noted; one may stand there more than once. */
export type CalendarEntriesNoted = DomainEvent<
  'calendar-entries-noted',
  { readonly node: string; readonly entries: readonly NotedItem[] },
  null
>;

/** Nothing is noted on the page any more: everything on it was done. */
export type CalendarPageClosed = DomainEvent<
  'calendar-page-closed',
  { readonly node: string },
  null
>;

/** What stands in `process-<name>-<hour>`: one page. */
export type CalendarPageEvent = CalendarEntriesNoted | CalendarPageClosed;

export type CalendarEvent = CalendarIndexEvent | CalendarPageEvent;

export const CALENDAR_EVENT_TYPES: EventTypes<CalendarEvent> = {
  'calendar-pages-begun': { schemaVersion: 1 },
  'calendar-page-done': { schemaVersion: 1 },
  'calendar-entries-noted': { schemaVersion: 1 },
  'calendar-page-closed': { schemaVersion: 1 },
};

/** A stream of its own: builds that know no calendar go on reading lease and checkpoint. */
export function calendarStream(process: string): string {
  return `${processStream(process)}-calendar`;
}

export function pageStream(process: string, page: CalendarPage): string {
  return `${processStream(process)}-${page}`;
}
