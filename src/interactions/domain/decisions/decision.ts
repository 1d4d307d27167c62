import type { Rejection } from '../../../kernel/rejection.js';
import type { Result } from '../../../kernel/result.js';
import type { InteractionEvent } from '../events.js';

/** The events of one command, recorded together at the `now` of the decision, or why there are none. */
export type Decision = Result<readonly InteractionEvent[], Rejection>;
