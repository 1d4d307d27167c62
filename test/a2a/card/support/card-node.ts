import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CARD_PROVIDERS } from '../../../../src/a2a/card/card.providers.js';
import { CardController } from '../../../../src/a2a/card/card.controller.js';
import { CARD_SIGNING } from '../../../../src/a2a/card/card-signing.js';
import { ExtendedCards } from '../../../../src/a2a/card/extended-cards.js';
import { PublicCards } from '../../../../src/a2a/card/public-cards.js';
import { createKeyring } from '../../../../src/attestation/create-keyring.js';
import { loadPlatformKeys } from '../../../../src/attestation/platform-key-file.js';
import { PlatformKeyring } from '../../../../src/attestation/platform-keyring.js';
import { PlatformKeysController } from '../../../../src/attestation/platform-keys.controller.js';
import { CardPublication } from '../../../../src/capabilities/commands/card-publication.js';
import { CapabilityRegistry } from '../../../../src/capabilities/queries/capability-registry.js';
import { DirectBackends } from '../../../../src/capabilities/queries/direct-backends.js';
import type { Config } from '../../../../src/config/config.js';
import { readConfig } from '../../../../src/config/read-config.js';
import { CONFIG, HOSTED_AGENTS } from '../../../../src/config/tokens.js';
import { logReaches } from '../../../../src/event-store/log-reaches.js';
import { createEdge } from '../../../../src/http/edge.js';
import { ProblemFilter } from '../../../../src/http/problem-filter.js';
import { RegistryNode } from '../../../capabilities/support/registry-node.js';

export const FINANCE_AGENT = {
  agentId: 'finance-agent',
  tenant: 'finance',
  name: 'Finance agent',
  description: 'Looks invoices up.',
  version: '1.0',
};

/** The cards of one node over real HTTP, with the registry and the keys that they are made from. */
export class CardNode {
  private constructor(
    readonly node: RegistryNode,
    readonly config: Config,
    readonly keyring: PlatformKeyring,
    private readonly app: NestFastifyApplication,
    readonly url: string,
  ) {}

  get publicCards(): PublicCards {
    return this.app.get(PublicCards);
  }

  get extendedCards(): ExtendedCards {
    return this.app.get(ExtendedCards);
  }

  static async start(
    folder: string,
    agents: readonly object[] = [FINANCE_AGENT],
    env: Readonly<Record<string, string>> = {},
    backends?: DirectBackends,
  ): Promise<CardNode> {
    const file = join(folder, 'agents.json');
    writeFileSync(file, JSON.stringify({ agents }));
    const config = readConfig(
      {
        COUNTERSIGN_DEV: '1',
        DATA_FOLDER: folder,
        PUBLIC_BASE_URL: 'https://countersign.example',
        ...(agents.length === 0 ? {} : { HOSTED_AGENTS: file }),
        ...env,
      },
      'host',
    );
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const node = await RegistryNode.open(folder, `read-${randomUUID()}`, undefined, backends);
    const keyring = await openKeyring(node, config.value);
    const app = await listen(node, config.value, keyring);
    return new CardNode(node, config.value, keyring, app, await app.getUrl());
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { headers });
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.node.close();
  }
}

async function openKeyring(node: RegistryNode, config: Config): Promise<PlatformKeyring> {
  const held = await loadPlatformKeys(config.platformKeys);
  if (!held.ok) throw new Error(held.error.join());
  const { store, keys } = node;
  const parts = { store, keys, clock: Date.now, random: randomBytes, newId: randomUUID };
  const keyring = createKeyring(parts, held.value);
  await keyring.register();
  return keyring;
}

async function listen(
  node: RegistryNode,
  config: Config,
  keyring: PlatformKeyring,
): Promise<NestFastifyApplication> {
  @Module({
    controllers: [CardController, PlatformKeysController],
    providers: [
      { provide: CONFIG, useValue: config },
      { provide: HOSTED_AGENTS, useValue: config.a2a.agents },
      { provide: PlatformKeyring, useValue: keyring },
      { provide: CARD_SIGNING, useExisting: PlatformKeyring },
      { provide: CapabilityRegistry, useValue: node.registry },
      { provide: CardPublication, useValue: node.cards },
      { provide: DirectBackends, useValue: node.backends },
      ...CARD_PROVIDERS,
    ],
  })
  class CardsModule {}

  const edge = createEdge({
    publicBaseUrl: config.publicBaseUrl,
    authenticate: () => {
      throw new Error('cards ask for no token');
    },
    reaches: (position) => logReaches(node.store, position, config.readWaitMs),
    isDraining: () => false,
  });
  const app = await NestFactory.create<NestFastifyApplication>(CardsModule, edge.adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ProblemFilter(edge.problems));
  await app.listen(0, '127.0.0.1');
  return app;
}
