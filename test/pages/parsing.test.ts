/** Parsing of pages, and comparison of outputs. */
import { describe, expect, test } from 'vitest';
import { parsePage, withTexts } from '../../scripts/pages/blocks.ts';
import { parseMarker } from '../../scripts/pages/marker.ts';
import { forPage, normalize } from '../../scripts/pages/normalize.ts';
import { countWords, longSentences } from '../../scripts/pages/prose.ts';
import { syntaxFault } from '../../scripts/pages/syntax.ts';

describe('markers', () => {
  test('each kind of marker is read with its options', () => {
    expect(parseMarker('file: src/shop.ts')).toEqual({ kind: 'file', path: 'src/shop.ts' });
    expect(parseMarker('run')).toEqual({ kind: 'run', exit: 0, terminal: false });
    expect(parseMarker('run: exit 2, terminal')).toEqual({ kind: 'run', exit: 2, terminal: true });
    expect(parseMarker('run: input "y, please\\n"')).toEqual({
      kind: 'run',
      exit: 0,
      terminal: true,
      input: 'y, please\n',
    });
    expect(parseMarker('run: background until "at http"')).toMatchObject({ kind: 'run', until: 'at http' });
    expect(parseMarker('output')).toEqual({ kind: 'output' });
    expect(parseMarker('output: lines 2-6, until "reloaded"')).toEqual({
      kind: 'output',
      lines: [2, 6],
      until: 'reloaded',
    });
    expect(parseMarker('from examples/shop.ts#server')).toEqual({ kind: 'from', source: 'examples/shop.ts#server' });
    expect(parseMarker('not run: it needs a Docker engine')).toEqual({
      kind: 'not run',
      reason: 'it needs a Docker engine',
    });
    expect(parseMarker('shape')).toEqual({ kind: 'shape' });
  });

  test.each(['fil: a.ts', 'file:', 'file: ../a.ts', 'file: /a.ts', 'shape: x', 'not run:', 'runs'])(
    'the comment "%s" is no marker',
    (comment) => {
      expect(() => parseMarker(comment)).toThrow('is no marker');
    },
  );

  test('an unknown option is named', () => {
    expect(() => parseMarker('run: exits 2')).toThrow('"exits 2" is no option of a run block');
    expect(() => parseMarker('output: line 2')).toThrow('"line 2" is no option of an output block');
  });
});

const source = [
  '# Page',
  '<!-- continues: docs/guide/first-server.md -->',
  '<!-- from examples/a.ts -->',
  '<!-- file: a.ts -->',
  '```ts',
  'const a = 1;',
  '',
  '```',
  'Then:',
  '<!-- run -->',
  '```sh',
  'npx tsx a.ts',
  '```',
  '<!-- output -->',
  '```text',
  'old',
  '```',
  'end',
].join('\n');

describe('pages', () => {
  test('a page is a list of blocks with their lines and markers', () => {
    const { blocks, continues, problems } = parsePage('p.md', source);
    expect(continues).toBe('docs/guide/first-server.md');
    expect(problems).toEqual([]);
    expect(blocks.map(({ line, tag, text, markers }) => [line, tag, text, markers.map(({ kind }) => kind)])).toEqual([
      [5, 'ts', 'const a = 1;\n\n', ['from', 'file']],
      [11, 'sh', 'npx tsx a.ts\n', ['run']],
      [15, 'text', 'old\n', ['output']],
    ]);
  });

  test('what is wrong with a marker is told with its line', () => {
    const wrong = ['```ts', 'x', '```', '<!-- run -->', '```ts', '```', '<!-- runs -->', '```sh', '```', '```sh'];
    expect(parsePage('p.md', wrong.join('\n')).problems).toEqual([
      'p.md:1: the block has no marker',
      'p.md:5: a run block is sh',
      'p.md:8: <!-- runs --> is no marker; CONTRIBUTING.md lists them',
      'p.md:10: the block has no end',
    ]);
  });

  test('other text goes into one block, and nothing else changes', () => {
    const written = withTexts(source, new Map([[15, 'first\nsecond\n']]));
    expect(written).toBe(source.replace('old', 'first\nsecond'));
  });

  test('a block that nothing runs must parse', () => {
    expect(syntaxFault('json', '{"a": 1}')).toBeUndefined();
    expect(syntaxFault('json', '{"a": }')).toBeDefined();
    expect(syntaxFault('ts', 'const a: number = 1;')).toBeUndefined();
    expect(syntaxFault('ts', 'const a: = 1;')).toBeDefined();
    expect(syntaxFault('sh', 'docker run "a"')).toBeUndefined();
    expect(syntaxFault('sh', 'docker run "a')).toBeDefined();
    expect(syntaxFault('yaml', 'a: [1')).toBeDefined();
  });

  test('a Dockerfile has instructions, stages and arrays that exist', () => {
    const fine =
      '# ours\nFROM node:24-slim AS build\nRUN npm ci \\\n  --omit=dev\nFROM node:24-slim\nCOPY --from=build /app dist\n';
    expect(syntaxFault('dockerfile', `${fine}HEALTHCHECK CMD ["node"]\nCMD ["node", "main.js"]\n`)).toBeUndefined();
    expect(syntaxFault('dockerfile', 'RUN npm ci\n')).toContain('FROM');
    expect(syntaxFault('dockerfile', `${fine}COPPY a b\n`)).toContain('COPPY');
    expect(syntaxFault('dockerfile', `${fine}COPY --from=bild a b\n`)).toContain('bild');
    expect(syntaxFault('dockerfile', `${fine}CMD ["node" "main.js"]\n`)).toBeDefined();
  });
});

describe('output', () => {
  test('two runs print the same when only ports, times and ids differ', () => {
    const one = 'at http://127.0.0.1:41234/mcp in 12 ms, 13:17:25.868, id 671b18ce, 2026-11-15T13:17:25Z  \n';
    const two = 'at http://127.0.0.1:50001/mcp in 1.4 s, 09:00:00.001, id 00ab18ce, 2027-01-01T00:00:00Z\n';
    expect(normalize(one)).toBe(normalize(two));
  });

  test('other ports, counts and words are compared', () => {
    for (const [one, two] of [
      ['http://127.0.0.1:3000', 'http://127.0.0.1:3001'],
      ['3 tools', '4 tools'],
      ['12345678', '12345679'],
      ['deadbeef', 'feedbeef'],
    ]) {
      expect(normalize(one ?? '')).not.toBe(normalize(two ?? ''));
    }
  });

  test('a page shows what stays on the terminal, with folders of a reader', () => {
    const output =
      '\r\n\u001b[32mAt /tmp/x/you/project\u001b[0m\r\n10%\r20%\r\n\u001b[1G\u001b[0J[y/N] \u001b[7Gy\r\r\n';
    expect(forPage(output, [['/tmp/x/you', '/home/you']])).toBe('At /home/you/project\n20%\n[y/N] y\n');
  });
});

describe('prose', () => {
  test('words outside code blocks and comments count', () => {
    expect(countWords(`# A title\n\n${source}\n| a | b |\n|---|---|\n`)).toBe(7);
  });

  test('a sentence is long by its words, whatever stands in code and in links', () => {
    const fits = 'One two `a b c d` [three four](x.md#a) five.';
    const long = 'One two three four five six seven.';
    expect(longSentences(`- ${fits} ${fits}\n- ${long}\n\n| ${long} |\n`, 6)).toEqual([long]);
  });
});
