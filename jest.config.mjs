import { swcOptions } from './test/support/typescript/swc-options.mjs';

/** Suites that take minutes are named `*.long.spec.ts` and run only with TEST_LONG=1. */
const withLongSuites = process.env.TEST_LONG === '1';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: withLongSuites ? [] : ['\\.long\\.spec\\.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  maxWorkers: '100%',
  // Real servers, real disks and real child processes share the machine with each other.
  testTimeout: withLongSuites ? 600_000 : 30_000,
};
