import { availableParallelism } from 'node:os';
import { swcOptions } from './test/support/typescript/swc-options.mjs';

/** TEST_LONG=1 raises the effort of the suites that read it: more runs, kills and events. */
const isLong = process.env.TEST_LONG === '1';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/run/setup.mjs',
  globalTeardown: '<rootDir>/test/support/run/teardown.mjs',
  testSequencer: '<rootDir>/test/support/run/longest-first.mjs',
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  // One more than there are cores: many specs wait for processes, leases and moments that are due.
  maxWorkers: availableParallelism() + 1,
  // What a file has loaded stays in its worker for good, and collecting garbage takes the longer the more
  // there is: by the end a third of the processor's time. A new worker begins anew.
  workerIdleMemoryLimit: '800MB',
  // Real servers, real disks and real child processes share the machine with each other.
  testTimeout: isLong ? 600_000 : 60_000,
};
