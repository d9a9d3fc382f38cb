/** `mooring call` with a server on a socket of this process, and once in a child process. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createServer, ToolError, tool } from '../../src/index.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { alive, eventually } from '../support/children.ts';
import { folder, mooring, mooringProcess, type Ran, type RunOptions } from '../support/command-line.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const calls: unknown[] = [];

const weigh = tool({
  name: 'weigh',
  description: 'Says what it got',
  input: z.object({
    goods: z.string().describe('What to weigh'),
    grams: z.number().int().min(1).optional(),
    fragile: z.boolean().optional(),
    size: z.enum(['s', 'm']).optional(),
    tags: z.array(z.string()).optional(),
    box: z.object({ width: z.number(), lid: z.object({ colour: z.string() }).optional() }).optional(),
    picture: z.string().meta({ contentEncoding: 'base64' }).optional(),
  }),
  run(given) {
    calls.push(given);
    return given.goods;
  },
});

const tools = [
  weigh,
  tool({
    name: 'order',
    output: z.object({ sku: z.string(), count: z.number() }),
    async run(_nothing, ctx) {
      const answer = await ctx.ask('what', 'What do you want?', z.object({ sku: z.string(), count: z.number().int() }));
      if (answer.action !== 'accept') throw new ToolError('Nothing was ordered');
      return answer.value;
    },
  }),
  tool({
    name: 'echo',
    input: z.object({ text: z.string() }),
    output: z.object({ content: z.string() }),
    text: ({ content }) => content,
    run: ({ text }) => ({ content: text }),
  }),
  tool({
    name: 'draw',
    run: () => [
      { type: 'text', text: 'Two pictures and a link \u001b[2J' } as const,
      { type: 'image', data: png.toString('base64'), mimeType: 'image/png' } as const,
      {
        type: 'resource',
        resource: {
          uri: 'file:///../../.evil/%2e%2e%2fp%20q.png',
          mimeType: 'image/png',
          blob: png.toString('base64'),
        },
      } as const,
      { type: 'resource_link', uri: 'shop://catalogue', name: 'catalogue' } as const,
    ],
  }),
  tool({
    name: 'count',
    async run(_nothing, ctx) {
      for (let at = 1; at <= 3; at++) ctx.progress(at, 3, `shelf ${at}`);
      return 'Counted';
    },
  }),
  tool({
    name: 'drop',
    async run(_nothing, ctx) {
      const sure = await ctx.confirm('sure', 'Drop it?');
      calls.push(`answered ${sure}`);
      return sure ? 'Dropped' : 'Kept';
    },
  }),
  tool({
    name: 'pay',
    async run(_nothing, ctx) {
      const { action } = await ctx.ask('pay', 'Pay here', { url: 'https://pay.test/start?order=1' });
      calls.push(`answered ${action}`);
      return `It was said: ${action}`;
    },
  }),
  tool({
    name: 'wait',
    run: (_nothing, ctx) =>
      new Promise<string>((resolve) => {
        ctx.progress(1, 10, 'waiting');
        ctx.signal.addEventListener('abort', () => {
          calls.push('called off');
          resolve('');
        });
      }),
  }),
  tool({
    name: 'slogan',
    async run(_nothing, ctx) {
      await ctx.sample('slogan', {
        messages: [{ role: 'user', content: { type: 'text', text: 'A slogan' } }],
        maxTokens: 5,
      });
      return 'never';
    },
  }),
];

const shop = createServer({ name: 'shop', version: '1', parts: tools });
let http: HttpListener;
beforeAll(async () => {
  http = await serveHttp(shop, { port: 0 });
});
afterAll(() => http.close());

const call = (words: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  mooring(['call', http.url, ...words], options);

describe('arguments', () => {
  test('become what the tool asks for', async () => {
    await using project = await folder();
    await writeFile(join(project.path, 'a.png'), png);
    const words =
      'weigh goods=12 grams=5 fragile=true size=m tags=x tags=y box.width=2.5 box.lid.colour=red picture=@a.png';
    const { code, stdout } = await call(words.split(' '), { cwd: project.path });
    expect([code, stdout]).toEqual([0, '12\n']);
    expect(calls.at(-1)).toEqual({
      goods: '12',
      grams: 5,
      fragile: true,
      size: 'm',
      tags: ['x', 'y'],
      box: { width: 2.5, lid: { colour: 'red' } },
      picture: png.toString('base64'),
    });
  });

  test('may be one JSON object: a word, a file, or standard input', async () => {
    await using project = await folder();
    const json = '{"goods": "salt", "tags": []}';
    await writeFile(join(project.path, 'salt.json'), json);
    for (const [word, stdin] of [
      [json, ''],
      ['@salt.json', ''],
      ['-', json],
    ] as const) {
      calls.length = 0;
      expect((await call(['weigh', word], { cwd: project.path, stdin })).code).toBe(0);
      expect(calls).toEqual([{ goods: 'salt', tags: [] }]);
    }
  });

  test.each([
    [['goods=a', 'gram=5'], 'gram: unknown argument; did you mean grams?'],
    [['grams=5'], 'Missing argument "goods": expected a string (What to weigh)'],
    [['goods=a', 'grams=many'], 'grams=many: expected a whole number, not "many"'],
    [['goods=a', 'grams=0'], 'grams: must be >= 1'],
    [['goods=a', 'size=xl'], 'size: must be equal to one of the allowed values: ["s","m"]'],
    [['goods=a', 'goods=b'], 'goods=b: "goods" is given twice'],
    [['goods=a', 'box.width=1', 'box:={}'], 'box: given both as a whole and in parts'],
    [['goods=a', 'box:={"width": }'], 'box:={"width": }: not JSON'],
    [['{"goods": 5}'], 'goods: must be string'],
    [['{"goods": "a", "x": 1}'], 'x: unknown argument'],
    [['[1]'], 'expected key=value'],
    [['{}', 'goods=a'], 'this stands for all arguments'],
    [['goods=@nowhere.txt'], 'file not found'],
    [['@nowhere.json'], 'file not found'],
  ])('that are wrong (%j) are named, and the tool is not called', async (words, message) => {
    calls.length = 0;
    const { code, stdout, stderr } = await call(['weigh', ...words]);
    expect([code, stdout, calls]).toEqual([2, '', []]);
    expect(stderr).toContain(message);
  });

  test('that do not fit are told with how the tool is called', async () => {
    const { stderr } = await call(['weigh', 'grams=5']);
    expect(stderr).toContain('weigh goods=<text> [grams=<integer>] [fragile=true|false] [size=s|m] [tags=<text> …]');
  });

  test('that are malformed in a file name its line', async () => {
    await using project = await folder();
    await writeFile(join(project.path, 'bad.json'), '{\n  "goods": "a",\n  grams: 5\n}');
    const { code, stderr } = await call(['weigh', '@bad.json'], { cwd: project.path });
    expect(code).toBe(2);
    expect(stderr).toContain('@bad.json: not JSON: line 3');
  });
});

test('a tool that is not there, or not named, is a mistake with a hint', async () => {
  expect(await call(['wiegh'])).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean weigh?') });
  expect(await call([])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('<tool>: expected the name of a tool'),
  });
});

test.each([
  [
    'tool.mjs',
    'export const refund = 1;',
    /^error \.\/tool\.mjs: expected a server made with Mooring, but it exports refund; write/,
  ],
  [
    'throws.mjs',
    'throw new Error("boom");',
    /^error \.\/throws\.mjs: the module failed while loading at throws\.mjs:1:7: boom/,
  ],
])('a module that cannot be served is the mistake itself, not a process that ended: %s', async (name, text, why) => {
  await using project = await folder();
  await writeFile(join(project.path, name), text);
  for (const words of [
    ['call', `./${name}`, 'refund'],
    ['lint', `./${name}`],
  ]) {
    const { code, stderr } = await mooring(words, { cwd: project.path });
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
  }
});

describe('what a tool asks', () => {
  test('is answered by --answer, typed as the form says', async () => {
    const { code, stdout, stderr } = await call(['order', '--answer', 'sku=A', '--answer', 'count=2']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { sku: 'A', count: 2 }]);
    // By the target that was typed.
    expect(stderr).toMatch(new RegExp(`^${http.url}: .* was answered with \\{"sku":"A","count":2\\}`, 'm'));
  });

  test.each([
    [['confirm=maybe'], '--answer confirm=maybe: "confirm" must be'],
    [['cnfirm=true'], '--answer cnfirm: the server asks for confirm'],
    [['confirm=true', 'confirm=false'], '--answer confirm=false: "confirm" is given twice'],
  ])('is not answered by %j: the command ends with 2, and the tool gets no answer', async (answers, why) => {
    for (const tty of [false, true]) {
      calls.length = 0;
      const words = answers.flatMap((one) => ['--answer', one]);
      // On a terminal an unknown key is not an error yet: the user can still answer.
      if (tty && answers[0] === 'cnfirm=true') continue;
      for (const revision of ['2025-11-25', '2026-07-28']) {
        const { code, stdout, stderr } = await call(['drop', '--revision', revision, ...words], { tty });
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr).toContain(why);
        expect(calls).toEqual([]);
      }
    }
  });

  test('that was answered beforehand and not asked ends the command with 2, after the result', async () => {
    const { code, stdout, stderr } = await call(['echo', 'text=hi', '--answer', 'confirm=true']);
    expect([code, stdout]).toEqual([2, 'hi\n']);
    expect(stderr).toContain('--answer confirm was not used: the server asked for nothing');
  });

  test('on a terminal is a no unless the user says yes', async () => {
    const no = await call(['drop'], { tty: true, stdin: '\n' });
    expect(no.stderr).toContain('[y/N] ');
    expect([no.code, no.stdout]).toEqual([0, 'Kept\n']);
    expect((await call(['drop'], { tty: true, stdin: 'y\n' })).stdout).toBe('Dropped\n');
  });

  test.each([
    ['drop', '\u0003\n'],
    ['drop', '?\n\u0003\n'],
    ['order', 'A\n\u0003\n'],
    ['order', 'A\n3\n\u0003\n'],
    ['pay', '\u0003\n'],
    ['pay', 'y\n\u0003\n'],
  ])(
    'of %s that is interrupted by Ctrl-C (%j) ends the command with 130, and the tool gets no answer',
    async (name, stdin) => {
      calls.length = 0;
      for (const revision of ['2025-11-25', '2026-07-28']) {
        const { code, stdout } = await call([name, '--revision', revision], { tty: true, stdin });
        expect([code, stdout]).toEqual([130, '']);
        expect(calls).toEqual([]);
      }
    },
  );

  test('is declined where nobody can be asked, and the note says how to answer', async () => {
    const { code, stdout, stderr } = await call(['order']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('"What do you want?" was declined');
    expect(stderr).toContain('--answer sku=… --answer count=…');
    expect(stderr).toContain('error Nothing was ordered');
  });

  test('is asked on a terminal, beginning with what --answer said', async () => {
    const { code, stdout, stderr } = await call(['order', '--answer', 'sku=A'], { tty: true, stdin: '\n3\ns\n' });
    expect([code, JSON.parse(stdout)]).toEqual([0, { sku: 'A', count: 3 }]);
    expect(stderr).toContain('asks: What do you want?');
  });

  test('of a model cannot be asked: none is offered, and the tool says so', async () => {
    const { code, stderr } = await call(['slogan']);
    expect(code).toBe(1);
    expect(stderr).toContain('does not support sampling/createMessage');
  });

  test('may be to visit a page: shown on a terminal, followed after a yes, and declined elsewhere', async () => {
    const words = ['pay'];
    const agreed = await call(words, { tty: true, stdin: 'y\n\n' });
    expect([agreed.code, agreed.stdout]).toEqual([0, 'It was said: accept\n']);
    expect(agreed.stderr).toContain('https://pay.test/start?order=1');
    expect(agreed.stderr).toContain('It leads to pay.test.');
    expect((await call(words, { tty: true, stdin: 'n\n' })).stdout).toBe('It was said: decline\n');
    const alone = await call(words);
    expect(alone.stdout).toBe('It was said: decline\n');
    expect(alone.stderr).toContain('the request to open https://pay.test/start?order=1 ("Pay here") was declined');
  });

  test('cannot be answered by half a pair', async () => {
    expect(await call(['order', '--answer', 'sku'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--answer sku: expected key=value'),
    });
  });
});

describe('what a tool returns', () => {
  test('that is binary is told, or saved under names that lead nowhere else', async () => {
    await using project = await folder();
    const told = await call(['draw'], { cwd: project.path });
    expect(told).toMatchObject({ code: 0, stdout: 'Two pictures and a link \u001b[2J\nshop://catalogue  catalogue\n' });
    expect(told.stderr).toContain('image/png, 8 bytes; use --out to save it');
    for (const names of [
      ['draw.png', 'p-q.png'],
      ['draw-2.png', 'draw.png', 'p-q-2.png', 'p-q.png'],
    ]) {
      expect((await call(['draw', '--out', 'pictures/'], { cwd: project.path })).code).toBe(0);
      expect((await readdir(join(project.path, 'pictures'))).toSorted()).toEqual(names);
    }
    expect(await readFile(join(project.path, 'pictures', 'p-q.png'))).toEqual(png);
    expect(await readdir(project.path)).toEqual(['pictures']);
  });

  test('is told once, where data only repeats the text or text the data', async () => {
    expect((await call(['echo', 'text=a b'])).stdout).toBe('a b\n');
    expect((await call(['order', '--answer', 'sku=A', '--answer', 'count=2'])).stdout).toBe(
      '{\n  "sku": "A",\n  "count": 2\n}\n',
    );
  });

  test('does not take the place of a file, unless --force says so', async () => {
    await using project = await folder();
    const file = join(project.path, 'one.png');
    await writeFile(file, 'mine');
    const words = ['draw', '--out', 'one.png'];
    const kept = await call(words, { cwd: project.path });
    expect([kept.code, kept.stdout, await readFile(file, 'utf8')]).toEqual([2, '', 'mine']);
    expect(kept.stderr).toContain('this file exists; pass --force to replace it');
    expect((await call([...words, '--force'], { cwd: project.path })).code).toBe(0);
    expect(await readFile(file)).toEqual(png);
    expect((await readdir(project.path)).toSorted()).toEqual(['one-2.png', 'one.png']);
  });

  test('needs a folder that is there', async () => {
    await using project = await folder();
    await mkdir(join(project.path, 'there'));
    const { code, stderr } = await call(['draw', '--out', 'nowhere/one.png'], { cwd: project.path });
    expect(code).toBe(2);
    expect(stderr).toContain('folder not found');
    expect(await call(['draw', '--force'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--out') });
  });

  test('is one document with --json, also when the tool failed', async () => {
    await using project = await folder();
    const { stdout } = await call(['draw', '--json', '--out', 'p.png'], { cwd: project.path });
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', data: png.toString('base64') }, {}, { uri: 'shop://catalogue' }],
      isError: false,
      saved: [join(project.path, 'p.png'), join(project.path, 'p-2.png')],
    });
    const failed = await call(['order', '--json']);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true, content: [{ text: 'Nothing was ordered' }] });
  });

  test('drives no terminal, where there is one; progress is drawn there and nowhere else', async () => {
    expect((await call(['draw'], { tty: true })).stdout).toContain('Two pictures and a link \\u001b[2J');
    expect((await call(['count'], { tty: true })).stderr).toMatch(/count █+░+ 33 % shelf 1/);
    expect(await call(['count'])).toMatchObject({ stdout: 'Counted\n', stderr: '' });
  });
});

test('Ctrl-C calls the tool off', async () => {
  const over = new AbortController();
  calls.length = 0;
  const { code } = await call(['wait'], {
    tty: true,
    signal: over.signal,
    onStderr: (text) => {
      if (text.includes('waiting')) over.abort();
    },
  });
  expect(code).toBe(130);
  await eventually('the tool was called off', () => calls.length > 0);
  expect(calls).toEqual(['called off']);
});

test('a command is called, as a process, and nothing of it stays behind', async () => {
  const server = ['--', process.execPath, '--import', 'tsx', 'examples/shop.ts'];
  const { code, stdout } = await mooringProcess(['call', 'refund', '-', '--answer', 'confirm=true', ...server], {
    stdin: '{"order": "A-1041"}',
  });
  expect(code).toBe(0);
  expect(stdout).toBe('Refunded 12.5 on A-1041\n{\n  "order": "A-1041",\n  "amount": 12.5\n}\n');
});

test('an interrupted process takes its server with it, and leaves no half of a file', async () => {
  await using project = await folder();
  const pidFile = join(project.path, 'pid');
  const server = join(project.path, 'server.mts');
  await writeFile(
    server,
    [
      `import { writeFileSync } from 'node:fs';`,
      `import { createServer, tool } from ${JSON.stringify(resolve('src/index.ts'))};`,
      `import { serveStdio } from ${JSON.stringify(resolve('src/transport/stdio.ts'))};`,
      `const wait = tool({ name: 'wait', run: () => {`,
      `  writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`,
      `  return new Promise(() => undefined);`,
      `} });`,
      `await serveStdio(createServer({ name: 's', version: '1', parts: [wait] }));`,
    ].join('\n'),
  );
  const over = new AbortController();
  const command = [process.execPath, '--import', resolve('node_modules/tsx/dist/esm/index.mjs'), server];
  const running = mooringProcess(['call', 'wait', '--out', join(project.path, 'out.png'), '--', ...command], {
    signal: over.signal,
  });
  await eventually('the tool runs', () => existsSync(pidFile), 25_000);
  over.abort();
  expect(await running).toEqual({ code: 130, stdout: '', stderr: '' });
  const pid = Number(await readFile(pidFile, 'utf8'));
  await eventually('the server has ended', () => !alive(pid));
  expect((await readdir(project.path)).toSorted()).toEqual(['pid', 'server.mts']);
});

describe('a module', () => {
  const entryPoint = JSON.stringify(pathToFileURL(resolve('src/index.ts')).href);
  const text = `import { createServer, prompt, resource, tool } from ${entryPoint};
const fail = () => { throw new TypeError('no database'); };
const parts = [tool({ name: 'boom', run: fail }), resource({ uri: 'a://b', read: fail }), prompt({ name: 'sorry', render: fail })];
export const server = createServer({ name: 'first', version: '1', parts });
export const other = createServer({ name: 'second', version: '1', parts: [] });
`;

  test.each([
    ['call', 'boom'],
    ['read', 'a://b'],
    ['prompt', 'sorry'],
  ])('whose handler throws is shown with its stack by %s', async (command, name) => {
    await using project = await folder();
    await writeFile(join(project.path, 'shop.mjs'), text);
    const words = [command, './shop.mjs', name, '--export', 'server'];
    const { code, stderr } = await mooring(words, { cwd: project.path });
    expect(code).toBe(1);
    // Log and result arrive on two pipes, in any order.
    const [, id] = /error Internal error \(([\da-f]{8})\)/.exec(stderr) ?? [];
    expect(stderr).toMatch(new RegExp(`failed \\(${id}\\) TypeError: no database\\n {4}at .*shop\\.mjs:2:`));
  });

  test('of several servers is asked which one by --export', async () => {
    await using project = await folder();
    await writeFile(join(project.path, 'shop.mjs'), text);
    const at = { cwd: project.path };
    expect((await mooring(['list', './shop.mjs', '--export', 'other'], at)).stdout).toContain('second 1, revision');
    expect((await mooring(['list', './shop.mjs'], at)).stderr).toContain('choose one with --export: other, server');
    const wrong = await mooring(['list', './shop.mjs', '--export', 'third'], at);
    const why = 'error --export third: ./shop.mjs exports no server with this name; it exports other, server\n';
    expect([wrong.code, wrong.stderr]).toEqual([2, why]);
    expect(await mooring(['list', http.url, '--export', 'other'], at)).toMatchObject({ code: 2 });
  });
});
