import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { built } from '../../support/built.js';

/** How another process reaches what is tested: `open(address)` of a module. */
export interface Elsewhere {
  /** `file:` URL of the module. */
  readonly module: string;
  readonly address: string;
}

export interface ChildOptions {
  /** A program and its arguments that run the command given after them, such as a tracer. */
  readonly under?: readonly string[];
}

/** A real second process that runs one of the programs in `children/`. */
export class Child {
  static readonly #running = new Set<Child>();

  /** Ends what a failed test has left behind. */
  static async killAll(): Promise<void> {
    await Promise.all([...Child.#running].map((child) => child.kill()));
  }

  /** The complete lines that it has written so far. */
  readonly lines: string[] = [];
  #errors = '';
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #onLine = new Set<() => void>();

  constructor(program: string, argument: unknown, { under = [] }: ChildOptions = {}) {
    const script = built(new URL(`../children/${program}`, import.meta.url));
    const [command = '', ...rest] = [
      ...under,
      process.execPath,
      script,
      JSON.stringify(argument, moduleOfBuild),
    ];
    this.#process = spawn(command, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null) throw new Error('a child has pipes');
    stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      this.lines.push(line);
      for (const wake of this.#onLine) wake();
    });
    Child.#running.add(this);
    this.#ended = Promise.all([once(this.#process, 'close'), once(lines, 'close')]).then(() => {
      Child.#running.delete(this);
      for (const wake of this.#onLine) wake();
    });
  }

  /** Resolves when the child has written so many lines. */
  async wrote(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
        await this.#ended;
        if (this.lines.length < count) throw new Error(`the child ended: ${this.#errors}`);
        return;
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#onLine.delete(wake);
          resolve();
        };
        this.#onLine.add(wake);
      });
    }
  }

  /** `kill -9`: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** Resolves when the child has ended by itself, in good order. */
  async finished(): Promise<void> {
    await this.#ended;
    if (this.#process.exitCode !== 0) {
      const how = this.#process.signalCode ?? String(this.#process.exitCode);
      throw new Error(`the child ended with ${how}: ${this.#errors}`);
    }
  }
}

/** A process imports the fixture from where it is itself. */
function moduleOfBuild(name: string, value: unknown): unknown {
  return name === 'module' ? pathToFileURL(built(String(value))).href : value;
}
