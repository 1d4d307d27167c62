import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { Evidence } from './evidence/evidence.js';
import { OpenBundles } from './evidence/open-bundles.js';
import { EvidenceController } from './evidence/evidence.controller.js';
import { LogProofsController } from './log/log-proofs.controller.js';
import { LogTilesController } from './log/log-tiles.controller.js';
import { LogController } from './log/log.controller.js';
import { ReplayController } from './replay/replay.controller.js';
import { REPLAY_PROVIDERS } from './replay/replay.providers.js';

/** What auditors use. Ports and buses come from the root module. */
@Module({
  imports: [AgentsModule],
  controllers: [
    ReplayController,
    EvidenceController,
    LogController,
    LogProofsController,
    LogTilesController,
  ],
  providers: [...REPLAY_PROVIDERS, Evidence, OpenBundles],
})
export class AuditModule {}
