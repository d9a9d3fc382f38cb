/** The working folder and home of a page, and the commands that run there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Command, type CommandOptions } from './command.ts';
import { forPage } from './normalize.ts';
import type { Packages } from './prepare.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'esnext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  },
};

export class PageFolder implements Disposable {
  /** Contains the folder and the home of the page; removed at the end. */
  readonly #root: string = realpathSync(mkdtempSync(join(tmpdir(), 'mooring-page-')));
  readonly #packages: Packages;
  readonly #env: Record<string, string>;
  readonly #commands: Command[] = [];
  /** The current folder of the page; `cd` changes it. */
  #cwd: string = join(this.#root, 'you', 'project');

  constructor(packages: Packages) {
    this.#packages = packages;
    mkdirSync(this.#cwd, { recursive: true });
    this.#env = {
      PATH: [join(here, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: dirname(this.#cwd),
      TMPDIR: mkdirIn(this.#root, 'tmp'),
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      TERM: 'xterm',
      BROWSER: 'xdg-open',
      NO_COLOR: '1',
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
      npm_config_offline: 'true',
      PAGES_PACKAGES: packages.folder,
      PAGES_KNOWN: packages.known.join(' '),
    };
  }

  get cwd(): string {
    return this.#cwd;
  }

  get hasPackages(): boolean {
    return existsSync(join(this.#cwd, 'node_modules'));
  }

  /** A prepared project, for pages that do not set one up. */
  setUp(): void {
    writeFileSync(
      join(this.#cwd, 'package.json'),
      '{\n  "name": "project",\n  "private": true,\n  "type": "module"\n}\n',
    );
    writeFileSync(join(this.#cwd, 'tsconfig.json'), `${JSON.stringify(TSCONFIG, undefined, 2)}\n`);
    const options = { cwd: this.#cwd, env: this.#env, stdio: 'pipe' } as const;
    execFileSync('npm', ['install', 'mooring', 'zod'], options);
    execFileSync('npm', ['install', '-D', 'tsx', 'typescript', '@types/node'], options);
  }

  write(path: string, text: string): string {
    const file = resolve(this.#cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  start(line: string, options: Omit<CommandOptions, 'cwd' | 'env'> = {}): Command {
    const command = new Command(line, { ...options, cwd: this.#cwd, env: this.#env });
    this.#commands.push(command);
    return command;
  }

  /** Runs a line until it ends. A `cd` in it applies to the next line. */
  async run(
    line: string,
    options: Omit<CommandOptions, 'cwd' | 'env'> = {},
  ): Promise<{ exit: number; output: string }> {
    const after = join(this.#root, 'cwd');
    const command = this.start(line, { ...options, afterwards: `exit=$?; pwd > '${after}'; exit $exit` });
    const exit = await command.end();
    if (existsSync(after)) this.#cwd = readFileSync(after, 'utf8').trimEnd();
    return { exit, output: this.shown(command.output) };
  }

  /** Output in the form that pages show. */
  shown(output: string): string {
    return forPage(output, [
      [this.#packages.folder, '/home/you/project/node_modules'],
      [join(this.#root, 'you'), '/home/you'],
      [join(this.#root, 'tmp'), '/tmp'],
      [process.execPath, '/usr/bin/node'],
    ]);
  }

  /** Compiler errors in these files, in strict mode regardless of the page's tsconfig.json. */
  async typeErrors(files: readonly string[]): Promise<string> {
    const config = join(this.#root, 'you', 'tsconfig.pages.json');
    const typeRoots = [join(this.#packages.folder, '@types')];
    const compilerOptions = { ...TSCONFIG.compilerOptions, typeRoots, jsx: 'preserve' };
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const { exit, output } = await this.run(`'${join(this.#packages.folder, '.bin', 'tsc')}' -p '${config}'`);
    rmSync(config);
    return exit === 0 ? '' : output;
  }

  [Symbol.dispose](): void {
    for (const command of this.#commands) command.stop();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function mkdirIn(root: string, name: string): string {
  mkdirSync(join(root, name));
  return join(root, name);
}
