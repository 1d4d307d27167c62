import { LRUCache } from 'lru-cache';
import type { Chance } from '../../../kernel/chance.js';
import type { Reporter } from '../../../kernel/reporter.js';
import type { Clock } from '../../../kernel/timestamp.js';
import { Alarm } from '../../../processes/alarm.js';
import type { LeaseAndCheckpoint } from '../../../processes/lease-and-checkpoint.js';
import type { TaskDirectory, UntoldWebhook } from '../directory/task-directory.js';
import { Circuits } from './circuits.js';
import { fewestFirst } from './fewest-first.js';
import { Lanes } from './lanes.js';
import { RETRY, retryDelayMs, type RetryTiming } from './retry-timing.js';
import { UntoldPages } from './untold-pages.js';
import type { TellOutcome, WebhookTeller } from './webhook-teller.js';

export interface WebhookSenderOptions {
  readonly directory: TaskDirectory;
  readonly teller: WebhookTeller;
  readonly lease: LeaseAndCheckpoint;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly report: Reporter;
  readonly timing?: Partial<RetryTiming>;
}

/** Webhooks of which it is remembered when to try again; one that is forgotten is tried sooner. */
const REMEMBERED_WAITS = 100_000;

interface Wait {
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly tryAt: number;
}

/**
 * Tells webhooks what is for them. The directory finds those with something untold; what that is,
 * and how far they are, is read from the streams. Each is told one thing after the other, in order;
 * targets that fail are tried later and hold up nobody else, nor does a tenant that has many. The
 * node that holds the lease acts; should two act after all, a notification comes twice, under one
 * delivery id.
 */
export class WebhookSender {
  readonly #timing: RetryTiming;
  readonly #circuits = new Circuits();
  readonly #waits = new LRUCache<string, Wait>({ max: REMEMBERED_WAITS });
  readonly #lanes = new Lanes();
  readonly #pages: UntoldPages;
  readonly #stopping = new AbortController();
  readonly #alarm = new Alarm();
  #running: Promise<void> | undefined;

  constructor(private readonly options: WebhookSenderOptions) {
    this.#pages = new UntoldPages(options.directory);
    this.#timing = { ...RETRY, ...options.timing };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Posts under way are given up: they are sent again at the next start, under the same ids. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let pause = this.#timing.pollMs;
      try {
        if (!(await this.#round())) pause = this.#timing.foreignLeasePollMs;
      } catch (error) {
        pause = this.#timing.foreignLeasePollMs;
        this.options.report('webhooks are not told', { error });
      }
      await this.#alarm.sleep(pause, signal);
    }
    await this.#lanes.allEnded();
    await this.options.lease.release().catch((error: unknown) => {
      // It runs out by itself.
      this.options.report('the lease on webhooks was not given back', { error });
    });
  }

  /** False while another node acts. */
  async #round(): Promise<boolean> {
    const ready = this.#pages.next().map((page) => page.filter((each) => this.#isReady(each)));
    if (ready.every((page) => page.length === 0)) return true;
    if (!(await this.options.lease.ensureLease())) return false;
    for (const webhook of fewestFirst(ready, (tenant) => this.#lanes.countOf(tenant))) {
      if (this.#isReady(webhook)) this.#open(webhook);
    }
    return true;
  }

  #isReady(webhook: UntoldWebhook): boolean {
    const key = keyOf(webhook);
    const now = this.options.clock();
    if (this.#lanes.has(key) || (this.#waits.get(key)?.tryAt ?? 0) > now) return false;
    return this.#lanes.hasRoomFor(webhook.tenant) && this.#circuits.mayTry(webhook, now);
  }

  #open(webhook: UntoldWebhook): void {
    const key = keyOf(webhook);
    this.#circuits.begin(webhook);
    const telling = this.#tellAll(webhook, key)
      .catch((error: unknown) => {
        this.#putOff(key, this.#timing.firstRetryMs);
        this.options.report('a webhook was not told', { taskId: webhook.taskId, error });
      })
      .finally(() => {
        this.#circuits.end(webhook);
      });
    this.#lanes.open(key, webhook.tenant, telling);
  }

  /** One thing after the other, until there is nothing more, or something failed. */
  async #tellAll(webhook: UntoldWebhook, key: string): Promise<void> {
    const { teller, lease, clock } = this.options;
    const { signal } = this.#stopping;
    while (!signal.aborted && (await lease.ensureLease())) {
      const attempts = (this.#waits.get(key)?.attempts ?? 0) + 1;
      const isLast = attempts >= this.#timing.maxAttempts;
      const outcome = await teller.tellNext(webhook, isLast, signal);
      this.#judgeTarget(webhook, outcome);
      switch (outcome.kind) {
        case 'told':
          this.#waits.delete(key);
          break;
        case 'abandoned':
          this.#waits.delete(key);
          return;
        case 'nothing':
          // The directory has not heard of it yet, or the webhook is gone.
          this.#putOff(key, this.#timing.pollMs);
          return;
        case 'later': {
          const { retryAfterMs } = outcome;
          const delay = retryDelayMs(this.#timing, attempts, retryAfterMs, this.options.chance());
          this.#waits.set(key, { attempts, tryAt: clock() + delay });
          return;
        }
      }
    }
  }

  #judgeTarget(webhook: UntoldWebhook, outcome: TellOutcome): void {
    if (outcome.kind === 'told') this.#circuits.succeeded(webhook);
    if (outcome.kind === 'later') this.#circuits.failed(webhook, this.options.clock());
  }

  #putOff(key: string, delayMs: number): void {
    const attempts = this.#waits.get(key)?.attempts ?? 0;
    this.#waits.set(key, { attempts, tryAt: this.options.clock() + delayMs });
  }
}

function keyOf({ taskId, configId, setAt }: UntoldWebhook): string {
  return `${taskId}/${configId}/${setAt}`;
}
