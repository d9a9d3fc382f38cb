/** The layout of the catalogue of a chat on narrow terminals. */
import { expect, test } from 'vitest';
import type { Host, ManagedServer } from '../../host/index.ts';
import type { Printer } from '../printer.ts';
import { catalogueLines, type OfferedItem, serverText } from './catalogue-text.ts';

const item = (call: string, about: string, says = 'reads'): OfferedItem => ({
  ...{ server: 'shop', kind: 'tool', name: call, call, says, about, warnings: [] },
});
const host = { servers: new Map([['shop', { state: 'failed' }]]) } as unknown as Host; // the member that is read
const print = { style: (_style: string, text: string) => text } as unknown as Printer; // the member that is used

test('every line of the catalogue fits 80 columns, and descriptions are aligned', async () => {
  const offered = [
    item('shop.list()', `Lists ${'everything '.repeat(20)}`),
    item('shop.get-annotated-message(messageType, image?)', 'Demonstrates annotations of content'),
    item(`shop.search(${'filter, '.repeat(20)})`, 'Finds orders', 'destroys'),
    item('shop.add(item)', 'Adds an item', 'writes'),
  ];
  const lines = await catalogueLines(host, offered, { print, columns: 80 });
  expect(lines).toEqual([
    '',
    'shop  failed',
    '  reads     shop.list()                         Lists everything everything eve…',
    '  reads     shop.get-annotated-message(messageType, image?)  Demonstrates annot…',
    '  destroys  shop.search(filter, filter, filter, filter, filter, filter, filter,…',
    '  writes    shop.add(item)                      Adds an item',
  ]);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(80);
});

test('characters of two columns are cut and aligned by the columns that they take', async () => {
  const offered = [item('店.検索()', '注文を探す'.repeat(20)), item('shop.add(item)', 'Adds an item', 'writes')];
  const lines = await catalogueLines(host, offered, { print, columns: 60 });
  expect(lines.slice(2)).toEqual([
    `  reads     店.検索()       ${'注文を探す'.repeat(3)}…`,
    '  writes    shop.add(item)  Adds an item',
  ]);
});

test('the text of a server that failed keeps the lines of its standard error, and escapes what drives a terminal', async () => {
  const failure = new Error('The server process ended; the end of its stderr:\n  | \u001b[31mno port');
  const server = { state: 'failed', failure } as unknown as ManagedServer; // as above
  const said = 'failed: The server process ended; the end of its stderr:\n  | \\u001b[31mno port';
  expect(await serverText(server)).toBe(said);
});
