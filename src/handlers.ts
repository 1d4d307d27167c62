/**
 * What modules of handlers are written against: `import { CapabilityHandler } from
 * 'countersign/handlers'`. They implement capabilities of hosted agents in the service's own process.
 */
export type {
  CapabilityCall,
  CapabilityImplementation,
  Grant,
  HandlerEvent,
} from './a2a/handlers/capability-call.js';
export { CapabilityHandler } from './a2a/handlers/capability-handler.js';
