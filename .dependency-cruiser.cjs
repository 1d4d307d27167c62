/**
 * The dependency rule of docs/development.md, as something that fails. Every rule here has a
 * violation in test/architecture/dependency-rules.spec.ts, so that none of them is dead.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */

const CONTEXTS = 'agents|interactions|capabilities|attestation|invocations|a2a|audit';

/**
 * What a context shows the others: its domain, queries, commands and events; audit its verifier; a2a
 * what handlers of capabilities are written against.
 */
const PUBLISHED =
  '^src/([^/]+/(domain/|(queries|commands|events)(/|\\.ts$)|event-types\\.ts$)|audit/verify/|a2a/handlers/capability-(call|handler)\\.ts$)';

/**
 * A context's domain, or that of a part of one; and A2A's vocabulary, which stands where it is read
 * and decided: its words are the words of the tasks' domain, and it is held to the same rules.
 */
const DOMAIN = [
  '^src/.+/domain/',
  '^src/a2a/(wire/(types|refusal|history)|routing/decision)\\.ts$',
];

/** The folder alone. */
const DOMAIN_FOLDER = '^src/.+/domain$';

const ADAPTER = '^src/(event-store|projections)/(sqlite|eventstoredb|postgres)/';

/** The only places that know which adapter stands behind a port. */
const WIRING = '(^src/(main|service)\\.ts$|^src/wiring/|\\.module\\.ts$)';

const DRIVERS = {
  // An audit's temporary tables are no store: nothing of a service is ever in them.
  'better-sqlite3': '^src/((event-store|projections)/sqlite|cli/audit/temporary)/',
  pg: '^src/(event-store|projections)/postgres/',
  '@eventstore/db-client': '^src/event-store/eventstoredb/',
  '@modelcontextprotocol/sdk': '^src/invocations/backends/',
  cockatiel: '^src/invocations/backends/',
};

/** Everything that is not a file of ours: node's own modules and packages. */
const OUTSIDE = ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'];

/** A package by its name, installed or only typed. */
const npm = (names) => `(^|/)node_modules/(@types/)?(${names.join('|')})(/|$)`;

const WIRE_SCHEMA = '^src/kernel/wire-schema\\.ts$';
const LIBSODIUM = '^src/kernel/libsodium\\.ts$';
const KERNEL_TOOLS = ['^crypto$', npm(['@noble/ed25519', 'canonicalize'])];

module.exports = {
  forbidden: [
    {
      name: 'kernel-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/kernel/' },
      to: { path: '^(src|test|bench)/', pathNot: '^src/kernel/' },
    },
    {
      name: 'kernel-is-pure',
      comment: 'Neither Nest nor a driver, neither files nor a clock: bytes, hashes, signatures.',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: [WIRE_SCHEMA, LIBSODIUM] },
      to: { dependencyTypes: OUTSIDE, pathNot: KERNEL_TOOLS },
    },
    {
      name: 'wire-schema-only-validates',
      comment: 'It may load the schemas that ship with the project, and nothing else.',
      severity: 'error',
      from: { path: WIRE_SCHEMA },
      to: {
        dependencyTypes: OUTSIDE,
        pathNot: [...KERNEL_TOOLS, '^module$', npm(['ajv', 'ajv-formats'])],
      },
    },
    {
      name: 'libsodium-only-loads-it',
      comment: 'A native library, where there is a binary of it.',
      severity: 'error',
      from: { path: LIBSODIUM },
      to: { dependencyTypes: OUTSIDE, pathNot: ['^module$', npm(['sodium-native'])] },
    },
    {
      name: 'domain-imports-kernel-and-domains',
      severity: 'error',
      from: { path: DOMAIN },
      to: { path: '^(src|test|bench)/', pathNot: ['^src/kernel/', ...DOMAIN] },
    },
    {
      name: 'domain-is-pure',
      comment: 'Hashing and verifying come from the kernel; time, ids and randomness as arguments.',
      severity: 'error',
      from: { path: DOMAIN },
      to: { dependencyTypes: OUTSIDE },
    },
    {
      name: 'no-cycles',
      comment: 'Between files, types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domains-form-no-cycle',
      comment: 'Between the domains of contexts, even where no single file is in a cycle.',
      severity: 'error',
      scope: 'folder',
      from: { path: DOMAIN_FOLDER },
      to: { circular: true, path: DOMAIN_FOLDER },
    },
    ...Object.entries(DRIVERS).map(([driver, folder]) => ({
      name: `${driver.replace(/^@/, '').replace('/', '-')}-stays-in-its-adapter`,
      severity: 'error',
      from: { path: '^src/', pathNot: folder },
      to: { path: npm([driver]) },
    })),
    {
      name: 'only-wiring-imports-an-adapter',
      severity: 'error',
      from: { path: '^src/', pathNot: [WIRING, ADAPTER] },
      to: { path: ADAPTER },
    },
    {
      name: 'no-adapter-imports-another',
      severity: 'error',
      from: { path: ADAPTER },
      to: { path: ADAPTER, pathNot: '^src/$1/$2/' },
    },
    {
      name: 'verify-imports-kernel-only',
      comment: 'It is the independent check on the writer.',
      severity: 'error',
      from: { path: '^src/audit/verify/' },
      to: { path: '^(src|test|bench)/', pathNot: ['^src/kernel/', '^src/audit/verify/'] },
    },
    {
      name: 'auditing-imports-the-verifier-only',
      comment: 'Who audits trusts nothing of the writer: no store, no context, no configuration.',
      severity: 'error',
      from: { path: '^src/cli/(verify|audit)(/|\\.ts$)' },
      to: {
        path: '^(src|test|bench)/',
        pathNot: [
          '^src/(cli|kernel|threads|audit/verify)/',
          '^src/config/(addresses|token-variable)\\.ts$',
        ],
      },
    },
    {
      name: 'contexts-use-what-others-publish',
      comment: 'Never a projection, its tables or a private file of another context.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['\\.module\\.ts$', '^src/wiring/'] },
      to: { path: `^src/(${CONTEXTS})/`, pathNot: ['^src/$1/', PUBLISHED] },
    },
    {
      name: 'a-module-wires-its-own-context',
      comment: 'It may import the modules of others, and what they publish.',
      severity: 'error',
      from: { path: '^src/([^/]+)/.*\\.module\\.ts$' },
      to: { path: `^src/(${CONTEXTS})/`, pathNot: ['^src/$1/', PUBLISHED, '\\.module\\.ts$'] },
    },
    {
      name: 'controllers-are-only-wired',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.module\\.ts$' },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'src-imports-no-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'src-imports-no-development-tool',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'packages-are-declared',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'imports-resolve',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // A function of ours may be called `require`.
    moduleSystems: ['es6'],
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['import', 'node', 'require', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
