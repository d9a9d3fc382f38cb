/**
 * Drives real products, from their published packages, against Mooring servers.
 *
 *   npm run products                     all of them, one after the other
 *   npm run products -- codex mcporter   some
 *   npm run products -- --write          all, and the table in docs/guide/with/README.md
 *   npm run products -- codex --verbose  with everything that was printed, asked and received
 *
 * Exit code 1 if a product does more or less than expected.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { catalogue } from './catalogue.ts';
import { surprises } from './judge.ts';
import { installedVersion, installPackages } from './packages.ts';
import type { Product } from './product.ts';
import { mooring } from './serve-lots.ts';
import { type ProductRow, withTable } from './table.ts';
import { type TrialResult, tryProduct } from './trial.ts';

const PAGE = 'docs/guide/with/README.md';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, verbose: { type: 'boolean' }, transport: { type: 'string' } },
});
let failed = 0;

const unknown = positionals.filter((name) => !catalogue.some((product) => product.name === name));
if (unknown.length > 0)
  stop(`No product ${unknown.join(', ')}. Products: ${catalogue.map(({ name }) => name).join(', ')}`);
if (!existsSync(mooring)) stop('The package is not built. Run `npm run build`.');
if (values.write === true && positionals.length > 0) stop('--write needs all products: the table is of one run.');

const rows: ProductRow[] = [];
for (const product of catalogue) {
  if (positionals.length === 0 || positionals.includes(product.name)) rows.push(await run(product));
}
console.log(failed === 0 ? 'All products do what is known of them.' : `${failed} failed`);
if (values.write === true) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), rows));
process.exitCode = failed === 0 ? 0 : 1;

async function run(product: Product): Promise<ProductRow> {
  try {
    await installPackages(product.name);
  } catch (thrown) {
    failed++;
    const unavailable = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
    console.log(`FAIL  ${product.title}: cannot be installed: ${unavailable}`);
    return { product, version: undefined, unavailable, results: [] };
  }
  const version = installedVersion(product.name, product.package);
  const results: TrialResult[] = [];
  for (const transport of product.transports) {
    if (values.transport !== undefined && values.transport !== transport) continue;
    const began = performance.now();
    const result = await tryProduct(product, transport);
    report(product, result, { version, seconds: (performance.now() - began) / 1000 });
    results.push(result);
  }
  return { product, version, results };
}

function report(
  product: Product,
  { transport, revisions, findings, error, story }: TrialResult,
  { version, seconds }: { version: string | undefined; seconds: number },
): void {
  const wrong = [
    ...(error === undefined ? [] : [error]),
    ...surprises(findings, product.limits, transport),
    ...(revisions === undefined ? ['the server saw no tool call'] : []),
  ];
  if (wrong.length > 0) failed++;
  const outcomes = findings.map(({ check, outcome }) => `${check} ${outcome}`).join(', ');
  const what = `${product.title} ${version} ${transport} ${revisions?.spoken}: ${outcomes} (${seconds.toFixed(1)} s)`;
  console.log(`${wrong.length === 0 ? 'ok   ' : 'FAIL '} ${what}`);
  for (const one of wrong) console.log(`      ${one.replaceAll('\n', '\n      ')}`);
  if (wrong.length > 0 || values.verbose === true) console.log(`${story.replaceAll(/^/gm, '      | ')}`);
}

function stop(why: string): never {
  console.error(why);
  process.exit(2);
}
