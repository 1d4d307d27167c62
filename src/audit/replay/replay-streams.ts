import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { OpenStreams, type StreamLimits } from '../../http/open-streams.js';
import type { Caller } from '../../kernel/caller.js';

/** Each reads the whole log, so there are far fewer of them than of tasks' streams. */
const LIMITS: StreamLimits = { perNode: 200, perTenant: 100, perOwner: 8 };

/**
 * How long a stream lasts at most, in milliseconds. A token is judged when a stream begins, so this
 * bounds how long one that has expired meanwhile, or was withdrawn, still replays.
 */
const MAX_AGE_MS = 60 * 60_000;

export interface ReplayStream {
  /** Aborted when the client is gone, the stream is too old, or the node stops. */
  readonly signal: AbortSignal;
  /** To be called when it has ended. */
  readonly close: () => void;
}

/** Live streams and exports that are under way on this node: bounded, and ended when it stops. */
@Injectable()
export class ReplayStreams implements OnModuleDestroy {
  readonly #open: OpenStreams;

  constructor(
    limits: StreamLimits = LIMITS,
    private readonly maxAgeMs = MAX_AGE_MS,
  ) {
    this.#open = new OpenStreams(limits);
  }

  /** @throws {RejectionException} `too-many-streams` */
  open(caller: Caller, { raw }: Pick<FastifyReply, 'raw'>): ReplayStream {
    const ends = new AbortController();
    const closed = this.#open.open(caller, ends);
    const aged = setTimeout(() => {
      ends.abort();
    }, this.maxAgeMs).unref();
    raw.once('close', () => {
      if (!raw.writableFinished) ends.abort();
    });
    return {
      signal: ends.signal,
      close: () => {
        clearTimeout(aged);
        closed();
      },
    };
  }

  /**
   * For an answer with an end of its own: it is counted while there is work for it, also for a client that is
   * gone, and until its connection is done with it.
   *
   * @param work told by a signal as {@link open} gives it that nobody waits any more
   * @throws {RejectionException} `too-many-streams`
   */
  async hold<T>(
    caller: Caller,
    { raw }: Pick<FastifyReply, 'raw'>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { signal, close } = this.open(caller, { raw });
    try {
      return await work(signal);
    } finally {
      if (raw.closed || signal.aborted) close();
      raw.once('close', close);
      signal.addEventListener('abort', close);
    }
  }

  /** Before the server waits for its connections: a stream has no end of its own. */
  onModuleDestroy(): void {
    this.#open.end();
  }
}
