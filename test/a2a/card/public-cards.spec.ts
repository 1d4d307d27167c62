import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PublicCards } from '../../../src/a2a/card/public-cards.js';
import { CardPublication } from '../../../src/capabilities/commands/card-publication.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { capability, FINANCE } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { CardNode } from './support/card-node.js';

let folder: string;
let node: CardNode;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cards-'));
  node = await CardNode.start(folder);
  await node.node.register(capability('first'));
});

afterEach(async () => {
  await node.close();
  await rm(folder, { recursive: true });
});

/** Publishes, and then takes its time to say so. */
class HesitantPublication extends CardPublication {
  published = 0;
  open = (): void => undefined;
  #gate: Promise<void> | undefined;

  hesitateOnce(): void {
    this.#gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  override async ensure(agentId: AgentId): ReturnType<CardPublication['ensure']> {
    const gate = this.#gate;
    this.#gate = undefined;
    const ensured = await node.node.cards.ensure(agentId);
    this.published++;
    await gate;
    return ensured;
  }
}

function cardsBehind(publication: CardPublication): () => Promise<readonly string[]> {
  const { config, keyring, node: parts } = node;
  const cards = new PublicCards(config, parts.registry, publication, keyring);
  return async () => {
    const card = await cards.of(config.a2a.agents[0]!);
    if (!card.ok) throw new Error(card.error.code);
    return card.value.card.skills.map(({ id }) => id);
  };
}

describe('public cards', () => {
  it('are made once for all who ask at the same time, and kept', async () => {
    await node.node.cards.ensure(FINANCE);
    const publication = new HesitantPublication();
    const skills = cardsBehind(publication);
    await Promise.all(Array.from({ length: 50 }, skills));
    await skills();
    expect(publication.published).toBe(1);
  });

  it('are never those of before a change for whoever asks after it', async () => {
    const publication = new HesitantPublication();
    const skills = cardsBehind(publication);
    publication.hesitateOnce();
    const early = skills();
    await eventually(() => publication.published === 1);
    await node.node.register(capability('second'));
    await node.node.cards.ensure(FINANCE);
    expect(await skills()).toEqual(['first', 'second']);
    publication.open();
    expect(await early).toEqual(['first']);
    // The slower answer does not take the place of the newer one.
    expect(await skills()).toEqual(['first', 'second']);
    expect(publication.published).toBe(2);
  });
});
