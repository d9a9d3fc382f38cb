import { expect, test } from 'vitest';
import { ServerLog } from '../../host/servers/server-log.ts';
import { Masks } from '../../model/secrets.ts';
import type { Printer } from '../printer.ts';
import { logPrinter } from './module-output.ts';

/** The output of a log that arrives in chunks of this size. */
function shownOf(text: string, size: number, options: { module?: string; verbose?: boolean }): string[] {
  const shown: string[] = [];
  const print: Pick<Printer, 'note' | 'style'> = { note: (line) => void shown.push(line), style: (_, line) => line };
  const log = new ServerLog(new Masks());
  // The log uses only these members of the printer.
  log.onLine(logPrinter(options, { values: { verbose: options.verbose === true }, print: print as Printer }));
  for (let at = 0; at < text.length; at += size) log.stderr(text.slice(at, at + size));
  return shown;
}

test('logPrinter() shows reports of failed handlers of a module whole, however its stderr is chunked', () => {
  const text = [
    'listening',
    'mooring: tool "boom" failed (671b18ce) TypeError: no database',
    '    at run (file:///shop.ts:3:9) {',
    "  code: 'E_DB'",
    '}',
    'request done',
    '    indented by the module',
    'mooring: onError failed on tool "boom" (00aa11bb) Error: twice',
    '',
  ].join('\n');
  for (const size of [1, 7, text.length]) {
    expect(shownOf(text, size, { module: 'shop.ts' })).toEqual([
      'mooring: tool "boom" failed (671b18ce) TypeError: no database',
      '    at run (file:///shop.ts:3:9) {',
      "  code: 'E_DB'",
      '}',
      'mooring: onError failed on tool "boom" (00aa11bb) Error: twice',
    ]);
  }
});

test('logPrinter() shows the log of other servers only with --verbose, and then all of it', () => {
  const text = 'listening\nmooring: tool "boom" failed (671b18ce) TypeError: no database\n';
  expect(shownOf(text, 5, {})).toEqual([]);
  for (const options of [{}, { module: 'shop.ts' }])
    expect(shownOf(text, 5, { ...options, verbose: true })).toEqual([
      'stderr: listening',
      'stderr: mooring: tool "boom" failed (671b18ce) TypeError: no database',
    ]);
});
