/** Runs every example in a process of its own, with the package as it was built; each checks itself. Exit code 1 if one fails. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { install } from './with/install.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const tsconfig = builtPackage();
// shop.ts is what others start; on its own it would wait for a client.
const here = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'shop.ts');
const noSqlite = install();
const others = readdirSync(join(folder, 'with')).filter((file) => file.endsWith('.ts') && file !== 'install.ts');
const skipped = others.filter((file) => ['sqlite.ts', 'render-farm.ts'].includes(file) && noSqlite !== undefined);

let failed = 0;
let passed = 0;
async function run(name: string, args: readonly string[]): Promise<void> {
  const began = performance.now();
  const env = { ...process.env, TSX_TSCONFIG_PATH: tsconfig };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env, timeout: 120_000 });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const status = await new Promise((resolve) => void child.on('close', resolve));
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - began)} ms)`);
  if (status === 0) passed++;
  else failed++;
  if (status !== 0) console.log(said);
}

const tsc = join(folder, '..', 'node_modules', 'typescript', 'bin', 'tsc');
const program = (...path: string[]): readonly string[] => ['--import', 'tsx', join(folder, ...path)];
const stories = new Map<string, readonly string[]>([
  ['the types of examples/with', [tsc, '-p', join(folder, 'with')]],
  ...others.filter((file) => !skipped.includes(file)).map((file) => [`with/${file}`, program('with', file)] as const),
  ...here.map((file) => [file, program(file)] as const),
]);
// One after the other: some wait for processes only so long, and would not find them in time on a busy machine.
for (const [name, args] of stories) await run(name, args);
for (const file of skipped) console.log(`skip with/${file}: ${noSqlite}`);
console.log(`${passed} passed, ${failed} failed${skipped.length === 0 ? '' : `, ${skipped.length} skipped`}`);
process.exitCode = failed === 0 ? 0 : 1;

/** Tells tsx that `mooring` is in `dist`: the source has hundreds of files to compile, for each example again. */
function builtPackage(): string {
  if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('There is no dist/. Run `npm run build` first.');
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default?: string }>; // our own file
  };
  const paths = Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === 'object' && entry.default !== undefined
      ? [[`mooring${name.slice(1)}`, [join(root, entry.default)]] as const]
      : [],
  );
  const file = join(root, '.cache', 'examples', 'tsconfig.json');
  mkdirSync(join(root, '.cache', 'examples'), { recursive: true });
  const compilerOptions = { target: 'es2023', module: 'nodenext', paths: Object.fromEntries(paths) };
  writeFileSync(file, JSON.stringify({ compilerOptions }));
  return file;
}
