/**
 * Installs the packages that package-lock.json names when they are missing or others. Needs
 * nothing installed itself: it is what makes `npm test` and `npm run demo` work on a bare checkout.
 *
 * Run as a program it wants all packages; a program that only runs the built service wants those
 * for production.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const OLDEST_NODE = [20, 19];

/** @param {{ production?: boolean }} [options] production: leave development tools out of account */
export async function ensureInstalled({ production = false } = {}) {
  refuseOldNode();
  const reason = await whyInstall(production);
  if (reason === undefined) return;
  console.error(`Installing packages with npm ci: ${reason}.`);
  console.error('This takes a minute or two where SQLite has to be compiled.');
  await npmCi();
  const stillMissing = await missingForThisMachine(production);
  if (stillMissing.length === 0) return;
  console.error(
    `npm left out ${stillMissing.join(', ')} without an error: what needs it will fail.`,
  );
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.version}.`);
  process.exit(1);
}

/** One sentence, or undefined when what is installed is what the lock file names, and loads. */
async function whyInstall(production) {
  const wanted = await packagesOf('package-lock.json');
  if (wanted === undefined) throw new Error('package-lock.json is missing');
  // npm writes this one last, after every install script has succeeded.
  const installed = await packagesOf('node_modules/.package-lock.json');
  if (installed === undefined) return 'nothing is installed yet';
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    if (found === undefined) {
      const mayBeAbsent = entry.optional || entry.peer || (production && entry.dev);
      if (!mayBeAbsent) return `${path} is missing`;
    } else if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${path} is not version ${entry.version}`;
    }
  }
  const [binaries] = await missingForThisMachine(production);
  if (binaries !== undefined) return `${binaries}, which has binaries for this machine, is missing`;
  return whyNotLoadable();
}

/**
 * Paths of the packages with binaries for this machine that are not installed. They are optional,
 * since there is one for each kind of machine, and so npm goes on where it cannot get this one.
 */
async function missingForThisMachine(production) {
  const wanted = await packagesOf('package-lock.json');
  const installed = await packagesOf('node_modules/.package-lock.json');
  return Object.entries(wanted)
    .filter(([path, entry]) => installed[path] === undefined && !(production && entry.dev))
    .filter(([, { optional, os, cpu, libc }]) => {
      if (!optional || !os?.includes(process.platform) || !cpu?.includes(process.arch))
        return false;
      return libc === undefined || libc.includes(libcOfThisMachine());
    })
    .map(([path]) => path);
}

function libcOfThisMachine() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

async function packagesOf(file) {
  try {
    return JSON.parse(await readFile(resolve(ROOT, file), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The one compiled package stops loading when node itself changes. */
function whyNotLoadable() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return undefined;
  } catch {
    return 'the compiled SQLite does not fit this node';
  }
}

/** Compiling takes node's headers. Where they came with node they need not be downloaded. */
function headersBesideNode() {
  const prefix = resolve(process.execPath, '../..');
  return existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
}

async function npmCi() {
  const started = Date.now();
  const still = setInterval(() => {
    console.error(`… still installing (${Math.round((Date.now() - started) / 1000)} s)`);
  }, 20_000);
  // Development tools and binaries are needed to build and to test whatever the settings say.
  const child = spawn('npm', ['ci', '--include=dev', '--include=optional'], {
    cwd: ROOT,
    // What has to be compiled is compiled on all cores.
    env: { JOBS: 'max', ...headersBesideNode(), ...process.env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const code = await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  clearInterval(still);
  if (code === 0) return;
  console.error(
    'npm ci failed. Where no prebuilt SQLite can be had it is compiled, which takes make, g++ and\n' +
      'python3 (Debian: apt-get install -y build-essential python3).',
  );
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await ensureInstalled();
