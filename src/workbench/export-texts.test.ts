import { expect, test } from 'vitest';
import { cliText, curlText } from './export-texts.ts';
import type { ExportedCall } from './exported-call.ts';

const asked = (method: string): ExportedCall => ({
  ...{ server: 'shop', source: { url: 'https://shop.test/mcp' }, revision: '2026-07-28', method, params: {} },
  ...{ answers: [], result: undefined, spans: [], hasMasks: false },
});

test.each(["x'; touch made; '", 'x\ntouch made\n#', "x'\ntouch made\n'"])(
  'a method that a server made up (%j) is no command of an exported script',
  (method) => {
    expect(cliText([asked(method)]).text).toMatch(/^# [^\n]* has no command line\n$/);
    const { text } = curlText([asked(method)]);
    // What is between quotes is one word of the shell, and no word has the command.
    const outside = text.replaceAll(String.raw`'\''`, '').replaceAll(/'[^']*'/g, '');
    expect(outside).not.toContain('touch');
  },
);

test('the method of a request is a header of curl', () => {
  expect(curlText([asked('tools/list')]).text).toContain("-H 'mcp-method: tools/list'");
});
