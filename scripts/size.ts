/** Measures entry points, the tarball and the install size. `--check` fails if a budget is exceeded. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import { filesUnder } from './files.ts';

// The entry point includes RFC 6570 and reads JSON Schemas when a part is defined, so that errors appear at definition time. Validators
// are lazy chunks, as are tasks, apps, skills, the gateway, Redis and the workbench in the tarball.
const budgets = {
  entryPoint: 34_100,
  startFiles: 9,
  view: 5_000,
  pageScript: 90_000,
  pageStyles: 15_000,
  tarball: 4_600_000,
  packages: 20,
  installed: 9_100_000,
};

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, { default?: string }>;
};
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
};
const problems: string[] = [];

for (const [entryPoint, { default: entry }] of Object.entries(exports)) {
  if (entry === undefined) continue;
  if (!existsSync(entry)) {
    problems.push(`${entry} is missing; run \`npm run build\` first`);
    continue;
  }
  const bytes = await bundled(entry);
  const time = process.argv.includes('--check') ? '' : `, imported in ${importTime(entry)} ms`;
  console.log(`${entryPoint.padEnd(12)} ${kilo(bytes)} minified and gzipped${time}`);
  if (entryPoint === '.') limit('The entry point "."', bytes, budgets.entryPoint);
  if (entryPoint === './view') limit('The entry point "./view"', bytes, budgets.view);
}

const startFiles = filesAtStart('./dist/index.js', './dist/transport/stdio.js');
console.log(`stdio server ${startFiles} files at start`);
limit('The number of files that a server over stdio loads at start', startFiles, budgets.startFiles);

// The files of the workbench as a browser receives them.
for (const [what, file, most] of [
  ['The script of the workbench', 'dist/workbench/page.js', budgets.pageScript],
  ['The styles of the workbench', 'dist/workbench/page.css', budgets.pageStyles],
] as const) {
  const bytes = existsSync(file) ? gzipSync(readFileSync(file)).length : Number.POSITIVE_INFINITY;
  console.log(`${what.slice(4).padEnd(27)} ${kilo(bytes)} gzipped`);
  limit(what, bytes, most);
}

const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
  encoding: 'utf8',
});
// npm prints one entry per package, and there is one.
const [tarball] = JSON.parse(packed) as [{ unpackedSize: number; size: number }];
console.log(`tarball      ${kilo(tarball.unpackedSize)} unpacked, ${kilo(tarball.size)} packed`);
limit('The unpacked tarball', tarball.unpackedSize, budgets.tarball);

const production = Object.entries(packages).filter(
  ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
);
const installed = production.reduce((sum, [path]) => sum + weight(path), tarball.unpackedSize);
console.log(`npm i        ${production.length + 1} packages, ${kilo(installed)}`);
limit('The number of installed packages', production.length + 1, budgets.packages);
limit('What npm installs', installed, budgets.installed);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  if (process.argv.includes('--check')) process.exitCode = 1;
}

/** An entry point bundled and minified, without packages and lazy chunks. */
async function bundled(entry: string): Promise<number> {
  const external = /^(?:node:|[@a-z])/;
  const { output } = await build({ input: entry, external, output: { minify: true }, write: false, logLevel: 'warn' });
  const chunks = new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk] as const] : [])));
  const loaded = new Set([output[0].fileName]);
  for (const file of loaded) for (const next of chunks.get(file)?.imports ?? []) if (chunks.has(next)) loaded.add(next);
  return [...loaded].reduce((sum, file) => sum + gzipSync(chunks.get(file)?.code ?? '').length, 0);
}

/** The number of our files that Node opens before these modules run. */
function filesAtStart(...entries: readonly string[]): number {
  const loaded = new Set(entries.map((entry) => resolve(entry)));
  for (const file of loaded) {
    const imports = existsSync(file) ? readFileSync(file, 'utf8').matchAll(/^import .*?"(\.[^"]+)";$/gm) : [];
    for (const [, path = ''] of imports) loaded.add(resolve(dirname(file), path));
  }
  return loaded.size;
}

/** Not part of `--check`, because machines differ. */
function importTime(entry: string): string {
  const code = `const t = performance.now(); await import(${JSON.stringify(entry)}); console.log((performance.now() - t).toFixed(1))`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).trim();
}

function weight(path: string): number {
  return filesUnder(path, '').reduce((sum, file) => sum + statSync(file).size, 0);
}

function limit(what: string, value: number, most: number): void {
  if (value > most)
    problems.push(`${what} is ${value}, the budget is ${most}: find what grew, or argue for a new budget in review`);
}

function kilo(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
