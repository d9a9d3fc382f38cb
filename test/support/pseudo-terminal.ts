/** Runs a program on a pseudo-terminal, which Python creates, because Node has no API for it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from './children.ts';

export const hasTerminals: boolean = spawnSync('python3', ['-c', 'import pty']).status === 0;

const relay = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

export class PseudoTerminal implements AsyncDisposable {
  readonly #python: ChildProcess;
  readonly ended: Promise<number>;
  #text = '';
  #read = 0;

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#python = spawn('python3', ['-c', relay, ...argv], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#python.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += stripVTControlCharacters(text);
    });
    this.ended = new Promise((resolve) => this.#python.once('close', (code) => resolve(code ?? -1)));
  }

  get pid(): number {
    return this.#python.pid ?? 0;
  }

  get text(): string {
    return this.#text;
  }

  /** Waits until this appears after the last match. */
  async sees(what: string): Promise<void> {
    await eventually(`${what}, after ${this.#text.slice(-500)}`, () => this.#text.includes(what, this.#read), 25_000);
    this.#read = this.#text.indexOf(what, this.#read) + what.length;
  }

  async type(when: string, text: string): Promise<void> {
    await this.sees(when);
    // Consent that is faster than reading is ignored.
    if (when.includes('explain')) await new Promise((resolve) => setTimeout(resolve, 400));
    this.#python.stdin?.write(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#python.kill('SIGKILL');
    await this.ended;
  }
}
