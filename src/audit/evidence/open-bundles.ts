import { Injectable } from '@nestjs/common';
import type { StreamLimits } from '../../http/open-streams.js';
import { ReplayStreams } from '../replay/replay-streams.js';

/** Each reads its streams twice, from the log, and proves every event of them. */
const LIMITS: StreamLimits = { perNode: 8, perTenant: 4, perOwner: 2 };

/** However slowly its reader takes it. */
const MAX_AGE_MS = 10 * 60_000;

/** Bundles that are under way on this node: few, and ended when it stops. */
@Injectable()
export class OpenBundles extends ReplayStreams {
  constructor() {
    super(LIMITS, MAX_AGE_MS);
  }
}
