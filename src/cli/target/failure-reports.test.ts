import { expect, test } from 'vitest';
import { FailureReports } from '../module/module-output.ts';

test('of what a module writes, reports of failures are shown whole, however they are cut into chunks', () => {
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
    const shown: string[] = [];
    const reports = new FailureReports((line) => shown.push(line));
    for (let at = 0; at < text.length; at += size) reports.hear(text.slice(at, at + size));
    expect(shown).toEqual([
      'mooring: tool "boom" failed (671b18ce) TypeError: no database',
      '    at run (file:///shop.ts:3:9) {',
      "  code: 'E_DB'",
      '}',
      'mooring: onError failed on tool "boom" (00aa11bb) Error: twice',
    ]);
  }
});
