/** Weighs what users get: each entry point, the tarball, and everything that `npm i` brings along. `--check` fails over a budget. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import { filesUnder } from './files.ts';

// The entry point was planned at 25 kB. It reads plain JSON Schemas when a part is defined, so that a mistake is told at once and not
// on the first call; that, and RFC 6570 in full, is what the rest is for. What proves that such a schema is harmless (4.5 kB),
// and the validators, are loaded when a server that has one is served.
// It was 32 kB until results in the protocol's own form, scopes of lists and news across processes came to it, and 34,000 bytes until
// warnings wrote out what drives a terminal, as everything else does that shows text of the other side. It was 34,100 until bodies that
// come byte by byte took no more memory than others, and 34,200 until programs without a compiler heard of mistakes where they make them.
// It was 34,300 until templates listed their resources (190 bytes): what calls and checks such lists is a chunk of its own.
// It was 33,750 until methods of the official SDK said what they are called here, members of a wrong type were named, exceptions of layers
// reached standard error, and headers were judged only where a schema is (75 bytes, after shortening other texts).
// It was 33,850 until a handler that does not await its question failed in every revision, values that JSON loses were found at any depth,
// and errors of definitions were said in plain words (200 bytes).
// A server over stdio opened 24 files of ours when it started, until the build put into one file what every server loads.
// The tarball was 2.6 MB until tasks, apps and skills came, each in chunks of its own that only their users load, and the examples that pages link to.
// It was 3.5 MB until the gateway, Redis, and the workbench with its page came, in the same way.
const budgets = {
  entryPoint: 34_100,
  startFiles: 9,
  view: 5_000,
  pageScript: 90_000,
  pageStyles: 15_000,
  tarball: 4_600_000,
  packages: 20,
  installed: 9_000_000,
};

// Our own files.
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

// The page of the workbench, as a browser could get it.
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
// npm's own format: one entry per package, and we are one package.
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

/** What a bundler makes of an entry point: minified, without packages and without what is loaded later. */
async function bundled(entry: string): Promise<number> {
  const external = /^(?:node:|[@a-z])/;
  const { output } = await build({ input: entry, external, output: { minify: true }, write: false, logLevel: 'warn' });
  const chunks = new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk] as const] : [])));
  const loaded = new Set([output[0].fileName]);
  for (const file of loaded) for (const next of chunks.get(file)?.imports ?? []) if (chunks.has(next)) loaded.add(next);
  return [...loaded].reduce((sum, file) => sum + gzipSync(chunks.get(file)?.code ?? '').length, 0);
}

/** How many files of ours Node opens before these modules run. */
function filesAtStart(...entries: readonly string[]): number {
  const loaded = new Set(entries.map((entry) => resolve(entry)));
  for (const file of loaded) {
    const imports = existsSync(file) ? readFileSync(file, 'utf8').matchAll(/^import .*?"(\.[^"]+)";$/gm) : [];
    for (const [, path = ''] of imports) loaded.add(resolve(dirname(file), path));
  }
  return loaded.size;
}

/** Told and not judged: machines differ. */
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
