import { Injectable } from '@nestjs/common';
import type { StreamLimits } from '../../http/open-streams.js';
import { ReplayStreams } from './replay-streams.js';

/** Each is in memory as a whole, some 20 MB where events are large, until its client has taken it. */
const LIMITS: StreamLimits = { perNode: 32, perTenant: 16, perOwner: 8 };

/** A page ends its work within seconds, and a client that takes it too slowly is cut off before. */
const MAX_AGE_MS = 2 * 60_000;

/** Pages that are being made and sent on this node: more than an auditor asks for at once. */
@Injectable()
export class ReplayPages extends ReplayStreams {
  constructor() {
    super(LIMITS, MAX_AGE_MS);
  }
}
