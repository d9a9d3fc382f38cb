/** A project from a page about a runtime: its files with the built package, and its commands. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parsePage } from '../../scripts/pages/blocks.ts';
import { freePort } from '../support/free-port.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PORT = /\b(?:3000|8787)\b/g;

export class PageProject implements AsyncDisposable {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'mooring-runtime-')));
  /** Lines of `sh` blocks, except for installations. */
  readonly commands: readonly string[];
  /** The free port that replaces the page's port. */
  readonly port: number;
  readonly #children: ChildProcess[] = [];

  static async open(page: string): Promise<PageProject> {
    return new PageProject(page, await freePort());
  }

  constructor(page: string, port: number) {
    this.port = port;
    for (const [path, text] of filesOf(page)) this.write(path, this.#ported(text));
    const shells = parsePage(page, textOf(page)).blocks.filter(({ tag }) => tag === 'sh');
    const lines = shells.flatMap(({ text }) => text.trim().split('\n'));
    this.commands = lines.filter((line) => !/^\S+ (?:add|install)\b/.test(line)).map((line) => this.#ported(line));
  }

  get url(): string {
    return `http://localhost:${this.port}/mcp`;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Links the built package and zod, and programs by the names that the page uses. */
  link(programs: Readonly<Record<string, string>>): void {
    mkdirSync(join(this.folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(root, join(this.folder, 'node_modules/mooring'));
    symlinkSync(join(root, 'node_modules/zod'), join(this.folder, 'node_modules/zod'));
    // npm makes it executable.
    this.write('node_modules/.bin/mooring', `#!/bin/sh\nexec node '${root}dist/cli/main.js' "$@"\n`);
    chmodSync(join(this.folder, 'node_modules/.bin/mooring'), 0o755);
    for (const [name, file] of Object.entries(programs))
      symlinkSync(file, join(this.folder, 'node_modules/.bin', name));
  }

  /** Starts it; output is collected in the second value. */
  start(line: string, env: Readonly<Record<string, string>> = {}): { child: ChildProcess; printed: () => string } {
    const PATH = [join(this.folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    const [program = '', ...args] = line.split(' ');
    const options = { cwd: this.folder, env: { ...process.env, ...env, PATH, NO_COLOR: '1' }, detached: true };
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more));
    this.#children.push(child);
    return { child, printed: () => text };
  }

  async run(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { child, printed } = this.start(line, env);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${line} ended with code ${String(code)}:\n${printed()}`);
    return printed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      const ended = once(child, 'close');
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL'); // the whole group, which spawn created
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #ported(text: string): string {
    return text.replace(PORT, String(this.port));
  }
}

/** The files of the page, after those of the page that it continues. */
function filesOf(page: string): Map<string, string> {
  const { blocks, continues } = parsePage(page, textOf(page));
  const files = continues === undefined ? new Map<string, string>() : filesOf(continues);
  for (const { markers, text } of blocks)
    for (const marker of markers) if (marker.kind === 'file') files.set(marker.path, text);
  return files;
}

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}
