/**
 * Draws the terminal of the README: runs the commands below on the README's server, in a terminal.
 *
 *   npm run picture             writes it
 *   npm run picture -- --check  fails if the commands print something else
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { parsePage } from '../pages/blocks.ts';
import { PageFolder } from '../pages/folder.ts';
import { normalize } from '../pages/normalize.ts';
import { preparePackages } from '../pages/prepare.ts';
import { Screen } from './screen.ts';
import { drawScreen, textIn } from './svg.ts';

const FILE = 'docs/pictures/terminal.svg';
const COLUMNS = 80;
/** The input to type. */
const commands: readonly { readonly line: string; readonly input?: string }[] = [
  { line: 'npx mooring call ./shop.ts refund order=A-1041', input: 'y\n' },
  { line: 'npx mooring doctor ./shop.ts' },
];

const screen = await show();
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, drawScreen(screen, 'shop', COLUMNS));
  console.log(screen.text);
} else if (normalize(textIn(readFileSync(FILE, 'utf8'))) !== normalize(screen.text)) {
  console.error(`${FILE} is stale; draw it with \`npm run picture\`. The terminal shows:\n${screen.text}`);
  process.exitCode = 1;
}

async function show(): Promise<Screen> {
  using folder = new PageFolder(preparePackages());
  folder.setUp();
  for (const { text, markers } of parsePage('README.md', readFileSync('README.md', 'utf8')).blocks)
    for (const marker of markers) if (marker.kind === 'file') folder.write(marker.path, text);
  const shown = new Screen(COLUMNS);
  for (const { line, input } of commands) {
    const command = folder.start(`unset NO_COLOR; ${line}`, {
      terminal: true,
      ...(input === undefined ? {} : { input }),
    });
    const exit = await command.end();
    if (exit !== 0) throw new Error(`\`${line}\` exited with ${exit}:\n${command.output}`);
    shown.write(`\u001b[32m$\u001b[0m \u001b[1m${line}\u001b[0m\r\n${command.output}\r\n`);
  }
  while (shown.lines.at(-1)?.length === 0) shown.lines.pop();
  return shown;
}
