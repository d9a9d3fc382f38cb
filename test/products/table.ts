/** Generates the documentation's table of products from the results of one run. */
import type { Revisions } from './evidence.ts';
import { WORKED } from './judge.ts';
import { CHECKS, type Product, TRANSPORTS, type Transport } from './product.ts';
import type { TrialResult } from './trial.ts';

export interface ProductRow {
  readonly product: Product;
  readonly version: string | undefined;
  /** Why it cannot be tested here. */
  readonly unavailable?: string;
  readonly results: readonly TrialResult[];
}

const LABELS: Readonly<Record<Transport, string>> = { stdio: 'stdio', http: 'HTTP', sse: 'HTTP+SSE' };
const MARKED = /(<!-- products -->)[\s\S]*?(<!-- \/products -->)/;

export function withTable(page: string, rows: readonly ProductRow[]): string {
  if (!MARKED.test(page)) throw new Error('The page has no <!-- products --> for the table; put it back');
  return page.replace(MARKED, (_, before: string, after: string) => `${before}\n${table(rows)}\n${after}`);
}

export function table(rows: readonly ProductRow[]): string {
  const head = [
    '| product | version | revision | transports | works | does not, and why |',
    '|---|---|---|---|---|---|',
  ];
  return [...head, ...rows.map(line)].join('\n');
}

function line({ product, version, unavailable, results }: ProductRow): string {
  if (unavailable !== undefined) return `| ${product.title} | – | – | – | not tried | ${cell(unavailable)} |`;
  const transports = results.map(({ transport }) => LABELS[transport]).join(', ');
  return `| ${product.title} | ${version} | ${revisionsIn(results)} | ${transports} | ${works(results)} | ${limits(product, results)} |`;
}

/** One date if all transports agree, otherwise one per transport. */
function revisionsIn(results: readonly TrialResult[]): string {
  const byRevision = groupBy(results, ({ revisions }) => revisionText(revisions));
  if (byRevision.size === 1) return [...byRevision.keys()].join();
  return [...byRevision].map(([revision, some]) => `${revision} (${labels(some)})`).join(', ');
}

function revisionText(revisions: Revisions | undefined): string {
  if (revisions === undefined) return 'none';
  return revisions.asked === revisions.spoken
    ? revisions.spoken
    : `${revisions.spoken}, after asking for ${revisions.asked}`;
}

const labels = (results: readonly TrialResult[]): string =>
  results.map(({ transport }) => LABELS[transport]).join(', ');

function works(results: readonly TrialResult[]): string {
  const some = CHECKS.flatMap((check) => {
    const where = results.filter(({ findings }) =>
      findings.some((finding) => finding.check === check && finding.outcome === WORKED),
    );
    if (where.length === 0) return [];
    return [where.length === results.length ? check : `${check} (${labels(where)})`];
  });
  return some.length === 0 ? 'nothing' : some.join(', ');
}

function limits(product: Product, results: readonly TrialResult[]): string {
  const said = CHECKS.flatMap((check) => {
    const failures = results.flatMap(({ transport, findings }) =>
      findings
        .filter((finding) => finding.check === check && finding.outcome !== WORKED)
        .map(({ outcome }) => ({ transport, outcome, because: reason(product, check, { outcome, transport }) })),
    );
    const same = groupBy(failures, ({ outcome, because }) => `${check} ${outcome}: ${because}`);
    return [...same].map(([text, some]) => {
      const where =
        some.length === results.length ? '' : ` (${some.map(({ transport }) => LABELS[transport]).join(', ')})`;
      return `${text}${where}`;
    });
  });
  return cell(said.join('; '));
}

function reason(
  { limits: known }: Product,
  check: string,
  { outcome, transport }: { outcome: string; transport: Transport },
): string {
  const limit = known.find((one) => one.check === check && (one.on ?? TRANSPORTS).includes(transport));
  return limit?.outcome === outcome ? limit.because : '**unexplained**';
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
