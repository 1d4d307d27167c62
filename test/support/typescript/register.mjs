/**
 * Lets node run this project's TypeScript without a build:
 * `node --import ./test/support/typescript/register.mjs bench/store.ts`. Child processes made with
 * `fork` and worker threads inherit it.
 */
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
