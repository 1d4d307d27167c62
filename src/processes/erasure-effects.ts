import { keyScopeOf } from '../event-store/codec.js';
import { erasureWaitsFor, retentionDays } from '../interactions/domain/erasure.js';
import type { Interaction } from '../interactions/domain/interaction.js';
import { interactionStream } from '../interactions/domain/stream.js';
import { ERASED } from '../kernel/event.js';
import { ok } from '../kernel/result.js';
import type { DataKeys, Interactions } from './ports.js';
import type { Cause, Effect } from './process.js';
import type { RepeatedTerms } from './repeated-terms.js';
import type { RetentionNotes } from './retention-notes.js';

export interface ErasureEffectsOptions {
  readonly interactions: Pick<Interactions, 'execute'>;
  readonly keys: DataKeys;
  readonly repeated: Pick<RepeatedTerms, 'streamsOf'>;
  readonly notes: Pick<RetentionNotes, 'note' | 'find'>;
}

/** What erasure does: destroys keys, and records that it did. */
export class ErasureEffects {
  constructor(private readonly options: ErasureEffectsOptions) {}

  /**
   * Destroys the keys of the interaction and of all that repeats its terms, then records it: nothing is
   * recorded that is not so.
   *
   * @param interaction ended, its erasure due
   */
  erase(interaction: Interaction, cause: Cause): Effect {
    const { interactions, repeated } = this.options;
    const { interactionId } = interaction;
    return {
      name: ['erase', interactionId],
      cause,
      perform: async (envelope) => {
        // Destroyed again where they are: whoever did it may have died before the bytes were gone.
        await this.#destroy(await repeated.streamsOf(interactionId));
        const days = await this.#noteRetention(interaction);
        await this.#destroy([interactionStream(interactionId)]);
        const command = { kind: 'erase', retentionDays: days } as const;
        return await interactions.execute(interactionId, command, envelope);
      },
    };
  }

  /**
   * Destroys what keys of the streams are left, and records nothing. Nothing where no key is left: only one
   * of the nodes needs the lease for it. If bytes of one that was destroyed are left, the key store removes
   * them by itself.
   *
   * @param stream that the item came from: names the effect
   */
  async sweep(
    stream: string,
    streams: readonly string[],
    cause: Cause,
  ): Promise<readonly Effect[]> {
    const left = await this.#legible(streams);
    if (left.length === 0) return [];
    const perform: Effect['perform'] = async () => {
      await this.#destroy(left);
      return ok(undefined);
    };
    return [{ name: ['sweep', stream], cause, perform }];
  }

  /**
   * Null where the key is destroyed because every party consented: all had, while it was there. One that
   * was gone before, on a note of its retention, was destroyed because of that. Null too if a build that
   * noted none died in between.
   */
  async #noteRetention(interaction: Interaction): Promise<number | null> {
    const { notes } = this.options;
    const { interactionId } = interaction;
    if (erasureWaitsFor(interaction).length === 0) {
      const [legibleStill] = await this.#legible([interactionStream(interactionId)]);
      return legibleStill === undefined ? await notes.find(interactionId) : null;
    }
    const days = retentionDays(interaction);
    if (days === null) return await notes.find(interactionId);
    await notes.note(interactionId, days);
    return days;
  }

  /** Those of the streams whose texts can still be read. */
  async #legible(streams: readonly string[]): Promise<readonly string[]> {
    const found = await this.options.keys.findAll(streams.map(keyScopeOf));
    return streams.filter((stream) => {
      const key = found.get(keyScopeOf(stream));
      return key !== undefined && key !== ERASED;
    });
  }

  async #destroy(streams: readonly string[]): Promise<void> {
    const { keys } = this.options;
    await Promise.all(streams.map(async (stream) => await keys.destroy(keyScopeOf(stream))));
  }
}
