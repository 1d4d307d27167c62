import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const CRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** One import, the file that has it, and the rules that must object: none where it is allowed. */
interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly breaks: readonly string[];
}

/** Each import stands in a file of its own, made unique by its number. */
const IMPORTS: readonly Import[] = [
  // kernel
  allowed('src/kernel/a', 'node:crypto'),
  allowed('src/kernel/a', 'canonicalize'),
  forbidden('src/kernel/a', 'node:module', ['kernel-is-pure']),
  forbidden('src/kernel/a', '../config/settings.js', ['kernel-imports-nothing-of-ours']),
  forbidden('src/kernel/a', '../agents/domain/agent.js', ['kernel-imports-nothing-of-ours']),
  forbidden('src/kernel/a', 'node:fs', ['kernel-is-pure']),
  forbidden('src/kernel/a', 'fs/promises', ['kernel-is-pure']),
  forbidden('src/kernel/a', 'node:timers', ['kernel-is-pure']),
  forbidden('src/kernel/a', '@nestjs/common', ['kernel-is-pure']),
  forbidden('src/kernel/a', 'better-sqlite3', [
    'kernel-is-pure',
    'better-sqlite3-stays-in-its-adapter',
  ]),

  // domain
  allowed('src/interactions/domain/a', '../../kernel/ids.js'),
  allowed('src/interactions/domain/a', '../../agents/domain/agent.js'),
  allowed('src/interactions/domain/decisions/a', '../status.js'),
  forbidden('src/interactions/domain/a', '../../event-store/port.js', [
    'domain-imports-kernel-and-domains',
  ]),
  forbidden('src/interactions/domain/decisions/a', '../../../http/problem.js', [
    'domain-imports-kernel-and-domains',
  ]),
  forbidden('src/interactions/domain/a', '../../agents/queries/agent-at.js', [
    'domain-imports-kernel-and-domains',
  ]),
  allowed('src/a2a/tasks/domain/a', '../../../kernel/ids.js'),
  allowed('src/a2a/tasks/domain/a', '../../../invocations/domain/outcome.js'),
  allowed('src/a2a/tasks/domain/a', '../../wire/types.js'),
  forbidden('src/a2a/tasks/domain/a', '../../wire/requests.js', [
    'domain-imports-kernel-and-domains',
  ]),
  forbidden('src/a2a/tasks/domain/a', '../port.js', ['domain-imports-kernel-and-domains']),
  forbidden('src/a2a/tasks/domain/a', 'node:fs', ['domain-is-pure']),
  forbidden('src/interactions/domain/a', 'node:fs', ['domain-is-pure']),
  forbidden('src/interactions/domain/a', 'node:crypto', ['domain-is-pure']),
  forbidden('src/interactions/domain/a', '@nestjs/common', ['domain-is-pure']),

  // drivers and adapters
  allowed('src/event-store/sqlite/a', 'better-sqlite3'),
  allowed('src/projections/sqlite/a', 'better-sqlite3'),
  allowed('src/cli/audit/temporary/a', 'better-sqlite3'),
  forbidden('src/cli/audit/a', 'better-sqlite3', ['better-sqlite3-stays-in-its-adapter']),
  allowed('src/event-store/postgres/a', 'pg'),
  allowed('src/event-store/eventstoredb/a', '@eventstore/db-client'),
  allowed('src/event-store/event-store.module', './sqlite/sqlite-event-store.js'),
  forbidden('src/event-store/a', 'better-sqlite3', ['better-sqlite3-stays-in-its-adapter']),
  forbidden('src/event-store/postgres/a', 'better-sqlite3', [
    'better-sqlite3-stays-in-its-adapter',
  ]),
  forbidden('src/event-store/sqlite/a', 'pg', ['pg-stays-in-its-adapter']),
  forbidden('src/event-store/sqlite/a', '@eventstore/db-client', [
    'eventstore-db-client-stays-in-its-adapter',
  ]),
  forbidden('src/event-store/a', './sqlite/sqlite-event-store.js', [
    'only-wiring-imports-an-adapter',
  ]),
  forbidden('src/interactions/a', '../event-store/sqlite/sqlite-event-store.js', [
    'only-wiring-imports-an-adapter',
  ]),
  forbidden('src/event-store/postgres/a', '../sqlite/sqlite-event-store.js', [
    'no-adapter-imports-another',
  ]),
  forbidden('src/projections/sqlite/a', '../../event-store/sqlite/sqlite-event-store.js', [
    'no-adapter-imports-another',
  ]),
  allowed('src/invocations/backends/a', '@modelcontextprotocol/sdk'),
  allowed('src/invocations/backends/a', 'cockatiel'),
  forbidden('src/a2a/a', '@modelcontextprotocol/sdk', [
    'modelcontextprotocol-sdk-stays-in-its-adapter',
  ]),
  forbidden('src/invocations/commands/a', 'cockatiel', ['cockatiel-stays-in-its-adapter']),

  // the verifier
  allowed('src/audit/verify/a', '../../kernel/ids.js'),
  forbidden('src/audit/verify/a', '../../interactions/domain/status.js', [
    'verify-imports-kernel-only',
  ]),
  forbidden('src/audit/verify/a', '../merkle-log.js', ['verify-imports-kernel-only']),

  // the commands of auditors
  allowed('src/cli/audit/a', '../../audit/verify/trust.js'),
  allowed('src/cli/audit/a', '../../kernel/ids.js'),
  allowed('src/cli/audit/a', '../../config/addresses.js'),
  allowed('src/cli/audit/a', '../input.js'),
  forbidden('src/cli/audit/a', '../../event-store/port.js', ['auditing-imports-the-verifier-only']),
  forbidden('src/cli/audit/a', '../../interactions/domain/status.js', [
    'auditing-imports-the-verifier-only',
  ]),
  forbidden('src/cli/audit/a', '../../config/config.js', ['auditing-imports-the-verifier-only']),

  // contexts
  allowed('src/interactions/a', '../agents/queries/agent-at.js'),
  allowed('src/processes/a', '../interactions/commands/expire.js'),
  allowed('src/interactions/interactions.module', '../agents/agents.module.js'),
  allowed('src/cli/a', '../audit/verify/verify-document.js'),
  allowed('src/agents/agents.module', './agents.controller.js'),
  forbidden('src/interactions/a', '../agents/agent-directory.projection.js', [
    'contexts-use-what-others-publish',
  ]),
  forbidden('src/processes/a', '../interactions/handlers.js', ['contexts-use-what-others-publish']),
  forbidden('src/interactions/interactions.module', '../agents/handlers.js', [
    'a-module-wires-its-own-context',
  ]),
  forbidden('src/interactions/a', '../agents/agents.controller.js', [
    'contexts-use-what-others-publish',
    'controllers-are-only-wired',
  ]),
  forbidden('src/agents/a', './agents.controller.js', ['controllers-are-only-wired']),

  // test, development tools, packages
  allowed('test/agents/a', '../../src/agents/agents.controller.js'),
  allowed('test/agents/a', 'fast-check'),
  forbidden('src/http/a', '../../test/support/clock.js', ['src-imports-no-test']),
  forbidden('src/http/a', '../../bench/lib/figures.js', ['src-imports-no-test']),
  forbidden('src/http/a', 'fast-check', ['src-imports-no-development-tool']),
  forbidden('src/http/a', 'undeclared', ['packages-are-declared']),
  forbidden('src/http/a', './nowhere.js', ['imports-resolve']),
];

const FILES = IMPORTS.map((one, index) => ({ ...one, file: fileOf(one, index) }));

/** Cycles take more than one file. The files are named in the order in which they import. */
const CYCLES = [
  { files: ['src/http/cycle-a', 'src/http/cycle-b'] },
  { files: ['src/http/types-a', 'src/http/types-b'], types: true },
];

/** No file is in a cycle here, but two domains need each other. */
const DOMAIN_CYCLE = [
  { from: 'src/a2a/tasks/domain/turn', to: '../../parts/domain/part.js' },
  { from: 'src/a2a/parts/domain/whole', to: '../../tasks/domain/task.js' },
  { from: 'src/capabilities/domain/skill', to: '../../invocations/domain/grant.js' },
  { from: 'src/invocations/domain/approval', to: '../../capabilities/domain/lifecycle.js' },
];

/** A2A's vocabulary lies outside of a domain folder, and is held to the same rules. */
const VOCABULARY = ['src/a2a/wire/refusal.ts', 'src/a2a/routing/decision.ts'];

/** The one file of the kernel with a rule of its own. */
const WIRE_SCHEMA = 'src/kernel/wire-schema.ts';
const LIBSODIUM = 'src/kernel/libsodium.ts';

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

let folder: string;
let violations: readonly Violation[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dependency-rules-'));
  await writePackages();
  await copyFile(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  for (const { file, from, specifier } of FILES) {
    await writeTarget(from, specifier);
    await writeImport(file, specifier);
  }
  for (const { files, types = false } of CYCLES) {
    for (const [index, file] of files.entries()) {
      const next = files[(index + 1) % files.length]!.split('/').at(-1)!;
      await writeImport(`${file}.ts`, `./${next}.js`, types);
    }
  }
  for (const { from, to } of DOMAIN_CYCLE) {
    await writeTarget(from, to);
    await writeImport(`${from}.ts`, to);
  }
  for (const file of VOCABULARY) {
    await writeImport(file, '../negotiation/version.js');
    await writeTarget(file, '../negotiation/version.js');
  }
  await write(WIRE_SCHEMA, "import 'node:module';\nimport 'node:fs';\n");
  await write(LIBSODIUM, "import 'node:module';\nimport 'node:fs';\n");
  violations = await cruise();
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the dependency rules', () => {
  it.each(FILES.filter(({ breaks }) => breaks.length === 0))(
    '$from may import $specifier',
    ({ file }) => {
      expect(rulesBrokenBy(file)).toEqual([]);
    },
  );

  it.each(FILES.filter(({ breaks }) => breaks.length > 0))(
    '$from must not import $specifier: $breaks',
    ({ file, breaks }) => {
      expect(rulesBrokenBy(file)).toEqual([...breaks].sort());
    },
  );

  it.each(CYCLES)('$files must not import each other', ({ files }) => {
    const broken = files.flatMap((file) => rulesBrokenBy(`${file}.ts`));
    expect(broken).toEqual(['no-cycles']);
  });

  it('two domains must not need each other', () => {
    const broken = violations.filter((one) => one.rule.name === 'domains-form-no-cycle');
    expect(new Set(broken.map((one) => one.from))).toEqual(
      new Set([
        'src/capabilities/domain',
        'src/invocations/domain',
        'src/a2a/tasks/domain',
        'src/a2a/parts/domain',
      ]),
    );
  });

  it.each(VOCABULARY)('%s must not import what is no domain', (file) => {
    expect(rulesBrokenBy(file)).toEqual(['domain-imports-kernel-and-domains']);
  });

  it('the wire schema may load its schemas and nothing else', () => {
    const broken = violations.filter((one) => one.from === WIRE_SCHEMA);
    expect(broken.map((one) => [one.rule.name, one.to])).toEqual([
      ['wire-schema-only-validates', 'fs'],
    ]);
  });

  it('what loads libsodium may load it and nothing else', () => {
    const broken = violations.filter((one) => one.from === LIBSODIUM);
    expect(broken.map((one) => [one.rule.name, one.to])).toEqual([
      ['libsodium-only-loads-it', 'fs'],
    ]);
  });

  it('are all errors, and each has a violation here', () => {
    const { forbidden: rules } = createRequire(import.meta.url)(CONFIG) as {
      forbidden: { name: string; severity: string }[];
    };
    expect(rules.filter(({ severity }) => severity !== 'error')).toEqual([]);
    expect(new Set(violations.map((one) => one.rule.name))).toEqual(
      new Set(rules.map(({ name }) => name)),
    );
  });
});

function rulesBrokenBy(file: string): string[] {
  const broken = violations.filter((one) => one.from === file).map((one) => one.rule.name);
  return [...new Set(broken)].sort();
}

function allowed(from: string, specifier: string): Import {
  return { from, specifier, breaks: [] };
}

function forbidden(from: string, specifier: string, breaks: readonly string[]): Import {
  return { from, specifier, breaks };
}

/** `src/kernel/a` is `src/kernel/a-7.ts`; `….module` stays what its name says it is. */
function fileOf({ from }: Import, index: number): string {
  return from.endsWith('.module')
    ? from.replace(/\.module$/, `-${index}.module.ts`)
    : `${from}-${index}.ts`;
}

async function writeImport(file: string, specifier: string, types = false): Promise<void> {
  const text = types
    ? `import type { x } from '${specifier}';\nexport type Y = typeof x;\n`
    : `import { x } from '${specifier}';\nexport const y = x;\n`;
  await write(file, text);
}

/** The file that a relative import names, without imports of its own. */
async function writeTarget(from: string, specifier: string): Promise<void> {
  if (!specifier.startsWith('.') || specifier.includes('nowhere')) return;
  await write(join(dirname(from), specifier.replace(/\.js$/, '.ts')), 'export const x = 1;\n');
}

async function writePackages(): Promise<void> {
  const names = [
    '@nestjs/common',
    'better-sqlite3',
    'canonicalize',
    'pg',
    '@eventstore/db-client',
    '@modelcontextprotocol/sdk',
    'cockatiel',
  ];
  await write(
    'package.json',
    JSON.stringify({
      type: 'module',
      dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
      devDependencies: { 'fast-check': '1.0.0' },
    }),
  );
  for (const name of [...names, 'fast-check', 'undeclared']) {
    await write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    await write(`node_modules/${name}/index.js`, 'exports.x = 1;\n');
  }
}

async function write(file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The command exits with the number of errors, so a failure is what is expected here. */
async function cruise(): Promise<readonly Violation[]> {
  const args = [CRUISE, '--config', CONFIG, '--output-type', 'json', 'src', 'test', 'bench'];
  const output = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: unknown) => error as { stdout: string });
  const { summary } = JSON.parse(output.stdout) as { summary: { violations: Violation[] } };
  return summary.violations;
}
