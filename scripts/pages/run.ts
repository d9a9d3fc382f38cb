/**
 * Runs the documentation: each page in an empty folder with the packed package, its blocks in order.
 *
 *   npm run pages                           all pages and the README
 *   npm run pages -- docs/guide/http.md     some
 *   npm run pages -- --write                writes the actual output into the output blocks
 *
 * One line per page; exit code 1 if one fails. CONTRIBUTING.md lists the markers of blocks.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parsePage, withTexts } from './blocks.ts';
import { writtenPages } from './list.ts';
import { playPage } from './play.ts';
import { type Packages, preparePackages } from './prepare.ts';

const words = process.argv.slice(2);
const shouldWrite = words.includes('--write');
const named = words.filter((word) => !word.startsWith('--'));
/** A separate network namespace: all ports are free, and nothing can be downloaded. Linux only. */
const isolated = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const canIsolate = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

if (words.includes('--in-this-process')) await playHere();
else await playAll();

/** Runs one page in this process, with prepared packages. */
async function playHere(): Promise<void> {
  const [path = ''] = named;
  const began = performance.now();
  const source = readFileSync(path, 'utf8');
  const packages = JSON.parse(process.env['PAGES_PREPARED'] ?? '') as Packages; // from playAll
  const { problems, notRun, stale, commands } = await playPage(parsePage(path, source), packages);
  if (shouldWrite && stale.size > 0) writeFileSync(path, withTexts(source, stale));
  const left = shouldWrite ? problems.filter((problem) => !problem.includes(': the output is stale;')) : problems;
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const wrote = shouldWrite && stale.size > 0 ? `, ${stale.size} outputs written` : '';
  console.log(`${left.length === 0 ? 'ok  ' : 'FAIL'} ${path} (${commands} commands, ${took}${wrote})`);
  for (const reason of notRun) console.log(`     not run: ${reason}`);
  for (const problem of left) console.log(problem.replace(/^/gm, '     '));
  process.exitCode = left.length === 0 ? 0 : 1;
}

async function playAll(): Promise<void> {
  const unknown = named.filter((page) => !existsSync(page));
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}`);
  const pages = named.length > 0 ? [...named] : writtenPages();
  process.env['PAGES_PREPARED'] = JSON.stringify(preparePackages());
  const [all, began] = [pages.length, performance.now()];
  let failed = 0;
  // Pages with separate networks do not conflict, so two run in parallel.
  const worker = async (): Promise<void> => {
    for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
      const passed = await playApart(page);
      if (!passed) failed += 1;
    }
  };
  await Promise.all(canIsolate ? [worker(), worker()] : [worker()]);
  console.log(`${all - failed} pages passed, ${failed} failed (${Math.round((performance.now() - began) / 1000)} s)`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function playApart(page: string): Promise<boolean> {
  const self = [process.execPath, '--import', 'tsx', fileURLToPath(import.meta.url)];
  const argv = [
    ...(canIsolate ? isolated : []),
    ...self,
    '--in-this-process',
    page,
    ...(shouldWrite ? ['--write'] : []),
  ];
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const status = await new Promise((resolve) => void child.on('close', resolve));
  process.stdout.write(said);
  return status === 0;
}
