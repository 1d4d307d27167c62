import { EventStoreUnavailable, type EventStore } from '../../../src/event-store/port.js';
import { WatchedEventStore } from '../../../src/event-store/watched-event-store.js';

/** The log, which takes the events of some types only when the test lets it, or not at all. */
export class HeldStore extends WatchedEventStore {
  /** Types of the events that were sent, in the order in which they came. */
  readonly sent: string[] = [];
  #held: { readonly type: string; readonly meanwhile: () => Promise<void> } | undefined;
  isReadOnly = false;

  constructor(log: EventStore) {
    super(log, Date.now);
  }

  /** The next append whose first event is of this type reaches the log after something else has happened. */
  holdBack(type: string, meanwhile: () => Promise<void>): void {
    this.#held = { type, meanwhile };
  }

  override async append(
    ...sent: Parameters<EventStore['append']>
  ): ReturnType<EventStore['append']> {
    const [, , events] = sent;
    const type = events[0]?.type ?? '';
    this.sent.push(type);
    if (this.isReadOnly) throw new EventStoreUnavailable('the disk is full');
    const held = this.#held;
    if (held?.type === type) {
      this.#held = undefined;
      await held.meanwhile();
    }
    return super.append(...sent);
  }
}
