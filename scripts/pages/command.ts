/** Runs one line of a page in a shell, in its own process group, with or without a terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { forPage } from './normalize.ts';

const QUIET_MS = 700;
const PATIENCE_MS = 60_000;
/** Python creates the pseudo-terminal, because it is installed nearly everywhere. */
const terminal = `import fcntl, os, pty, struct, sys, termios
pid, tty = pty.fork()
if pid == 0: os.execvp('sh', ['sh', '-c', sys.argv[1]])
fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
def read(end):
    return os.read(end, 65536)
try: pty._copy(tty, read, read)
except OSError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;

export interface CommandOptions {
  /** Appended to the command, but not shown. */
  readonly afterwards?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  /** Typed on the terminal line by line, when the program waits at a prompt. */
  readonly input?: string;
}

export class Command {
  readonly #child: ChildProcess;
  readonly #line: string;
  readonly #ended: Promise<number>;
  #exit: number | undefined;
  #output = '';
  #onOutput: () => void = () => undefined;

  constructor(line: string, { cwd, env, terminal: onTerminal = false, input, afterwards = '' }: CommandOptions) {
    this.#line = line;
    const script = `${line}\n${afterwards}`;
    const argv = onTerminal ? ['python3', '-c', terminal, script] : ['sh', '-c', `{ ${script}\n} 2>&1`];
    const [program = '', ...args] = argv;
    this.#child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: [onTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    this.#ended = new Promise((resolve) => {
      const end = (code: number): void => {
        this.#exit = code;
        this.#onOutput();
        resolve(code);
      };
      this.#child.once('error', () => end(127));
      this.#child.once('close', (code) => end(code ?? 128));
      // Background processes can hold the pipe open.
      this.#child.once('exit', (code) => setTimeout(() => end(code ?? 128), 1000).unref());
    });
    if (input !== undefined) void this.#type(input);
  }

  get output(): string {
    return this.#output;
  }

  /** Kills the process group and returns the exit code. */
  async end(): Promise<number> {
    return await this.#within(this.#ended, 'did not end');
  }

  /** Resolves when the output after `from` contains this text. */
  async prints(text: string, from = 0): Promise<void> {
    const seen = new Promise<void>((resolve, reject) => {
      this.#onOutput = () => {
        if (this.#output.includes(text, from)) resolve();
        else if (this.#exit !== undefined)
          reject(this.#failure(`ended (code ${this.#exit}) without printing "${text}"`));
      };
      this.#onOutput();
    });
    await this.#within(seen, `did not print "${text}"`);
  }

  stop(): void {
    try {
      process.kill(-(this.#child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }

  async #within<T>(wait: Promise<T>, missed: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#failure(`${missed} within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
    });
    return await Promise.race([wait, late]).finally(() => clearTimeout(timer));
  }

  #failure(what: string): Error {
    return new Error(`\`${this.#line}\` ${what}; its output:\n${forPage(this.#output, [])}`);
  }

  async #type(input: string): Promise<void> {
    for (const piece of input.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      let before = -1;
      // A program that prints nothing for a while, in an unfinished line, waits for input.
      while (before !== this.#output.length || /\n\s*$|^$/.test(this.#output)) {
        if (this.#exit !== undefined) return;
        before = this.#output.length;
        await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      }
      this.#child.stdin?.write(piece);
    }
  }
}
