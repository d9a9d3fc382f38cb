/** The table shows the results of a run, per transport if they differ, and every unexplained result. */
import { expect, test } from 'vitest';
import type { Product } from './product.ts';
import { type ProductRow, table, withTable } from './table.ts';
import type { TrialResult } from './trial.ts';

const product: Product = {
  name: 'x',
  title: 'Product X',
  package: 'x',
  transports: ['stdio', 'http'],
  limits: [{ check: 'question', outcome: 'declined', because: 'it has no terminal' }],
  drive: () => Promise.reject(new Error('is not driven here')),
};
const trial = (transport: TrialResult['transport'], spoken: string, question: string): TrialResult => ({
  transport,
  revisions: { asked: spoken, spoken },
  findings: [
    { check: 'tool call', outcome: 'worked' },
    { check: 'list change', outcome: transport === 'stdio' ? 'worked' : 'not listed again' },
    { check: 'question', outcome: question },
  ],
  story: '',
});
const row = (results: readonly TrialResult[]): ProductRow => ({ product, version: '1.2.3', results });
const lastLine = (text: string): string | undefined => text.split('\n').at(-1);

test('transports that differ are named, and a limit comes with its reason', () => {
  const results = [trial('stdio', '2026-07-28', 'declined'), trial('http', '2025-11-25', 'declined')];
  expect(lastLine(table([row(results)]))).toBe(
    '| Product X | 1.2.3 | 2026-07-28 (stdio), 2025-11-25 (HTTP) | stdio, HTTP | tool call, list change (stdio) | list change not listed again: **unexplained** (HTTP); question declined: it has no terminal |',
  );
});

test('a revision that was asked for and not spoken is said', () => {
  const result = {
    ...trial('stdio', '2025-11-25', 'worked'),
    revisions: { asked: '2026-07-28', spoken: '2025-11-25' },
  };
  expect(lastLine(table([row([result])]))).toContain('| 2025-11-25, after asking for 2026-07-28 |');
});

test('a product that cannot be installed is not a pass', () => {
  const line = lastLine(table([{ product, version: undefined, unavailable: 'no binary', results: [] }]));
  expect(line).toBe('| Product X | – | – | – | not tried | no binary |');
});

test('the table replaces what is between its markers and nothing else', () => {
  const page = withTable('before\n<!-- products -->\nold\n<!-- /products -->\nafter', []);
  expect(page).toMatch(/^before\n<!-- products -->\n\| product .*\n\|---.*\n<!-- \/products -->\nafter$/);
  expect(() => withTable('no markers', [])).toThrow('<!-- products -->');
});
