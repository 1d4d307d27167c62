/**
 * What modules of handlers are written against: `import { CapabilityHandler, DirectInvokeHandler } from
 * 'countersign/handlers'`. They implement capabilities of hosted agents in the service's own process:
 * what is said in messages, and direct invocations with arguments.
 */
export type {
  AdmittedGrant,
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from './a2a/handlers/capability-call.js';
export type { BackendCall } from './invocations/commands/backends.js';
export {
  DirectInvokeHandler,
  type DirectInvokeCall,
  type DirectInvokeImplementation,
  type DirectInvokeOptions,
} from './invocations/backends/direct-invoke-handler.js';
export { CapabilityHandler } from './a2a/handlers/capability-handler.js';
