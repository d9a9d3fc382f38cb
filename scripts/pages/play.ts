/** Runs a page as a reader would: writes its files, runs its commands, and compares their output. */
import { readFileSync } from 'node:fs';
import { type Block, type Page, parsePage } from './blocks.ts';
import type { Command } from './command.ts';
import { PageFolder } from './folder.ts';
import type { OutputMarker, RunMarker } from './marker.ts';
import { normalize } from './normalize.ts';
import type { Packages } from './prepare.ts';
import { syntaxFault } from './syntax.ts';

export interface Played {
  /** Each starts with page and line. */
  readonly problems: readonly string[];
  /** Why a block was not run. */
  readonly notRun: readonly string[];
  readonly commands: number;
  /** Actual output of output blocks that differ, by line of the block. */
  readonly stale: ReadonlyMap<number, string>;
}

export async function playPage(page: Page, packages: Packages): Promise<Played> {
  using folder = new PageFolder(packages);
  const player = new Player(page, folder);
  if (page.problems.length === 0) await player.play();
  return { ...player, problems: [...page.problems, ...player.problems] };
}

class Player {
  readonly problems: string[] = [];
  readonly notRun: string[] = [];
  readonly stale: Map<number, string> = new Map<number, string>();
  commands = 0;
  readonly #page: Page;
  readonly #folder: PageFolder;
  /** Files that the page wrote, for the compiler. */
  readonly #files: Map<string, string> = new Map<string, string>();
  #checked = true;
  #printed = '';
  #background: { readonly command: Command; shown: number } | undefined;

  constructor(page: Page, folder: PageFolder) {
    this.#page = page;
    this.#folder = folder;
  }

  async play(): Promise<void> {
    if (!this.#page.blocks.some(({ markers }) => markers.some(({ kind }) => ['file', 'run'].includes(kind)))) {
      for (const block of this.#page.blocks) this.#look(block);
      return;
    }
    if (!setsItselfUp(this.#page)) this.#folder.setUp();
    for (const [path, text] of filesBefore(this.#page)) this.#write(path, text);
    for (const block of this.#page.blocks) {
      try {
        await this.#step(block);
      } catch (thrown) {
        // Later blocks depend on this one.
        this.#problem(block, thrown instanceof Error ? thrown.message : String(thrown));
        return;
      }
    }
    const [last] = this.#page.blocks.slice(-1);
    if (last !== undefined) await this.#compile(last);
  }

  async #step(block: Block): Promise<void> {
    for (const marker of block.markers) {
      if (marker.kind === 'run') await this.#run(block, marker);
      else if (marker.kind === 'output') await this.#compare(block, marker);
      else if (marker.kind === 'file') {
        // Compile the version that is about to be overwritten.
        if (this.#files.has(marker.path)) await this.#compile(block);
        this.#write(marker.path, block.text);
        this.#look(block);
      } else this.#look(block);
    }
  }

  #write(path: string, text: string): void {
    this.#files.set(path, this.#folder.write(path, text));
    this.#checked = false;
  }

  /** Blocks that are not run must at least parse. */
  #look(block: Block): void {
    for (const marker of block.markers) if (marker.kind === 'not run') this.notRun.push(marker.reason);
    const fault = syntaxFault(block.tag, block.text);
    if (fault !== undefined) this.#problem(block, `the ${block.tag} block does not parse: ${fault}`);
  }

  async #run(block: Block, { exit, until, ...options }: RunMarker): Promise<void> {
    // A file shown before `npm install` is compiled after it.
    if (this.#folder.hasPackages) await this.#compile(block);
    const lines = commandLines(block.text);
    const last = lines.at(-1);
    this.#printed = '';
    for (const line of lines) {
      this.commands += 1;
      if (line === last && until !== undefined) {
        const command = this.#folder.start(line, options);
        this.#background = { command, shown: 0 };
        await command.prints(until);
        this.#printed += this.#newlyPrinted();
        continue;
      }
      const ran = await this.#folder.run(line, options);
      this.#printed += ran.output;
      const expected = line === last ? exit : 0;
      if (ran.exit !== expected) {
        throw new Error(
          `\`${line}\` must exit with ${expected}, and exited with ${ran.exit}; its output:\n${ran.output}`,
        );
      }
    }
  }

  async #compare(block: Block, { lines, until }: OutputMarker): Promise<void> {
    if (until !== undefined) {
      if (this.#background === undefined) throw new Error('no command of this page runs in the background');
      await this.#background.command.prints(until, this.#background.shown);
      this.#printed = this.#newlyPrinted();
    }
    const [first, last] = lines ?? [1, Number.POSITIVE_INFINITY];
    const came = `${this.#printed
      .split('\n')
      .slice(first - 1, last)
      .join('\n')
      .trimEnd()}\n`;
    if (normalize(came) === normalize(block.text)) return;
    this.stale.set(block.line, came);
    this.#problem(block, `the output is stale; expected:\n${indented(block.text)}\n  printed:\n${indented(came)}`);
  }

  #newlyPrinted(): string {
    if (this.#background === undefined) return '';
    const { command, shown } = this.#background;
    this.#background.shown = command.output.length;
    return this.#folder.shown(command.output.slice(shown));
  }

  async #compile(block: Block): Promise<void> {
    if (this.#checked) return;
    this.#checked = true;
    const typed = [...this.#files.values()].filter((file) => /\.tsx?$/.test(file));
    if (typed.length === 0) return;
    const errors = await this.#folder.typeErrors(typed);
    if (errors !== '') this.#problem(block, `the files above do not compile:\n${indented(errors)}`);
  }

  #problem({ line }: Block, what: string): void {
    this.problems.push(`${this.#page.path}:${line}: ${what}`);
  }
}

/** A page with `npm init` starts in an empty folder. */
function setsItselfUp(page: Page): boolean {
  return page.blocks.some(
    ({ text, markers }) => markers.some(({ kind }) => kind === 'run') && /^\s*npm init\b/m.test(text),
  );
}

/** The final files of the page that this one continues. */
function filesBefore({ continues }: Page): Map<string, string> {
  if (continues === undefined) return new Map();
  const before = parsePage(continues, readFileSync(continues, 'utf8'));
  const files = filesBefore(before);
  for (const { markers, text } of before.blocks) {
    for (const marker of markers) if (marker.kind === 'file') files.set(marker.path, text);
  }
  return files;
}

function commandLines(text: string): string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
