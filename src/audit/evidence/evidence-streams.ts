import { Injectable } from '@nestjs/common';
import type { StreamLimits } from '../../http/open-streams.js';
import { ReplayStreams } from '../replay/replay-streams.js';

/** Each holds a stream of events in memory, and proves every one of them. */
const LIMITS: StreamLimits = { perNode: 8, perOwner: 2 };

/** However slowly its reader takes it. */
const MAX_AGE_MS = 10 * 60_000;

/** Bundles that are under way on this node: few, and ended when it stops. */
@Injectable()
export class EvidenceStreams extends ReplayStreams {
  constructor() {
    super(LIMITS, MAX_AGE_MS);
  }
}
