import type { Json } from '../../kernel/json.js';
import type { BackendCall } from '../commands/backends.js';
import type { GuardedExchange } from './guarded-exchange.js';

/**
 * How a call is put to backends of one kind: once, through the guard alone.
 * @returns the output
 * @throws {AttemptFault} and whatever a client of an SDK throws: then the guard's fault counts, and
 * without one the backend has answered badly
 */
export type Exchange = (call: BackendCall, guard: GuardedExchange) => Promise<Json>;
