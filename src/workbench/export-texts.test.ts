import { expect, test } from 'vitest';
import { cliText, curlText, testText } from './export-texts.ts';
import type { ExportedCall } from './exported-call.ts';

const asked = (method: string): ExportedCall => ({
  ...{ server: 'shop', source: { url: 'https://shop.test/mcp' }, revision: '2026-07-28', method, params: {} },
  ...{ answers: [], result: undefined, spans: [], hasMasks: false },
});

test.each(["x'; touch made; '", 'x\ntouch made\n#', "x'\ntouch made\n'"])(
  'a method that a server made up (%j) is no command of an exported script',
  (method) => {
    expect(cliText([asked(method)]).text).toMatch(/^# no mooring command sends [^\n]*\n$/);
    const { text } = curlText([asked(method)]);
    // Quoted text is one shell word; no word may be the injected command.
    const outside = text.replaceAll(String.raw`'\''`, '').replaceAll(/'[^']*'/g, '');
    expect(outside).not.toContain('touch');
  },
);

test('the method of a request is a header of curl', () => {
  expect(curlText([asked('tools/list')]).text).toContain("-H 'mcp-method: tools/list'");
});

const called = (changes: Partial<ExportedCall>): ExportedCall => ({
  ...asked('tools/call'),
  params: { name: 'refund', arguments: { order: "it's 7", all: true } },
  ...changes,
});

test.each<[string, ExportedCall, string]>([
  [
    'a call with answers',
    called({ answers: [{ action: 'accept', content: { sure: true, why: 'a $b' } }, { action: 'decline' }] }),
    String.raw`mooring call https://shop.test/mcp refund '{"order":"it'\''s 7","all":true}' --answer sure=true --answer 'why=a $b' --revision 2026-07-28`,
  ],
  [
    'a resource',
    called({ ...asked('resources/read'), params: { uri: 'a:b c' } }),
    "mooring read https://shop.test/mcp 'a:b c' --revision 2026-07-28",
  ],
  [
    'a prompt',
    called({
      method: 'prompts/get',
      params: { name: 'greet', arguments: { who: 'Ada B', n: '1' } },
      revision: undefined,
    }),
    "mooring prompt https://shop.test/mcp greet 'who=Ada B' n=1",
  ],
  [
    'a list',
    called({ method: 'resources/templates/list', params: {} }),
    'mooring list https://shop.test/mcp --revision 2026-07-28',
  ],
  [
    'a revision of a recording',
    called({ method: 'tools/list', params: {}, revision: 'x; touch made' }),
    "mooring list https://shop.test/mcp --revision 'x; touch made'",
  ],
  [
    'no arguments',
    called({ params: { name: '' } }),
    "mooring call https://shop.test/mcp '' {} --revision 2026-07-28".replace('{}', "'{}'"),
  ],
])('%s is exported as one line of a shell', (_what, call, line) => {
  expect(cliText([call, call])).toEqual({ text: `${line}\n${line}\n`, notes: [] });
});

test.each<[string, ExportedCall['source'], string]>([
  [
    'of a configuration',
    { command: 'node', from: { file: 'mcp.json', line: 1, name: 'shop' } } as never,
    'mooring list "label"',
  ],
  [
    'that is a module',
    { command: 'node', args: ['x.js'], shownAs: ['npx', 'mooring', 'run', 'my shop.ts'] },
    "mooring list 'my shop.ts'",
  ],
  [
    'that is shown in other words',
    { command: 'node', args: ['x.js'], shownAs: ['npx', 'shop'] },
    'mooring list -- node x.js',
  ],
  ['that is a command', { command: 'my node', args: ['--flag', '$HOME'] }, "mooring list -- 'my node' --flag '$HOME'"],
  ['that is a URL', 'https://shop.test/mcp', 'mooring list https://shop.test/mcp'],
  ['of no configuration', { command: 'node', from: undefined }, 'mooring list -- node'],
  [
    'that another command serves',
    { command: 'node', shownAs: ['npx', 'mooring', 'dev', 'x.ts'] },
    'mooring list -- node',
  ],
  ['that names no module', { command: 'node', shownAs: ['npx', 'mooring', 'run'] }, 'mooring list -- node'],
])('a server %s is the target of a line', (_what, source, line) => {
  const call = called({ server: 'my shop', source, method: 'tools/list', params: {}, revision: undefined });
  expect(cliText([call]).text).toBe(`${line.replace('"label"', "'my shop'")}\n`);
});

test('exports of a masked call have a note that asks to fill in the masked values', () => {
  const notes = ['Replace each [masked] with its value.'];
  expect(cliText([called({}), called({ hasMasks: true })]).notes).toEqual(notes);
  expect(testText([called({}), called({ hasMasks: true })]).notes).toEqual(notes);
});

test('a call is exported as a test, and other requests are counted in a note', () => {
  const result = { content: [{ type: 'text', text: 'Done' }], structuredContent: { done: true } };
  const call = called({ result, answers: [{ action: 'decline' }, { content: { sure: true } }] });
  const { text, notes } = testText([call, asked('tools/list')]);
  expect(notes).toEqual(['Only tool calls become tests; other requests left out: 1.']);
  expect(text).toBe(`import { connect } from 'mooring/client';
import { expect, test } from 'vitest';

test("refund returns what it returned in the workbench", async () => {
  const answers: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number | boolean | string[]> }[] = [{"action":"decline"},{"action":"accept","content":{"sure":true}}];
  await using client = await connect("https://shop.test/mcp", { revisions: ["2026-07-28"], elicit: { form: async () => answers.shift() ?? { action: 'cancel' } } });
  const result = await client.attempt("refund", {"order":"it's 7","all":true});
  expect(result.content).toEqual([{"type":"text","text":"Done"}]);
  expect(result.data).toEqual({"done":true});
  expect(result.isError).toBe(false);
});
`);
});

test.each<[ExportedCall['source'], string]>([
  [
    { command: 'node', args: ['x.js'], shownAs: ['npx', 'mooring', 'run', 'shop.ts'] },
    '{"command":"npx","args":["mooring","run","shop.ts"]}',
  ],
  [{ command: 'node', env: { TOKEN: 'hunter2' } }, '{"command":"node","args":[]}'],
  [{ command: 'node', args: ['x.js'], cwd: '/shop' }, '{"command":"node","args":["x.js"],"cwd":"/shop"}'],
  ['https://shop.test/mcp', '"https://shop.test/mcp"'],
])('a test connects to %j, without its variables', (source, target) => {
  const { text, notes } = testText([called({ source, revision: undefined, result: { isError: true } })]);
  expect(text).toContain(`  await using client = await connect(${target}, {  });\n`);
  expect(text).toContain('  expect(result.content).toEqual([]);\n  expect(result.isError).toBe(true);\n});');
  expect(text).not.toContain('answers');
  expect(notes).toEqual([]);
});

const COMMON = String.raw`  -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' \
  ${'$'}{TOKEN:+-H "Authorization: Bearer $TOKEN"} \
`;

test('a call without a session is one request of curl', () => {
  const { text, notes } = curlText([called({ params: { name: 'refünd', arguments: {} } })]);
  expect(notes).toEqual(['If the server requires a sign-in, set TOKEN to an access token.']);
  expect(text).toBe(String.raw`curl -sS https://shop.test/mcp \
${COMMON}  -H 'MCP-Protocol-Version: 2026-07-28' \
  -H 'mcp-method: tools/call' \
  -H 'mcp-name: =?base64?cmVmw7xuZA==?=' \
  --data-raw '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refünd","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
`);
});

test('a call in a session is a handshake and a request of curl', () => {
  const { text } = curlText([called({ revision: '2025-11-25', params: { name: 'x' } })]);
  expect(text).toBe(String.raw`SESSION=$(curl -sS -D - -o /dev/null https://shop.test/mcp \
${COMMON}  --data-raw '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1.0.0"}}}' | tr -d '\r' | sed -n 's/^mcp-session-id: //Ip')
curl -sS -o /dev/null https://shop.test/mcp \
${COMMON}  -H 'MCP-Protocol-Version: 2025-11-25' \
  ${'$'}{SESSION:+-H "Mcp-Session-Id: $SESSION"} \
  --data-raw '{"jsonrpc":"2.0","method":"notifications/initialized"}'
curl -sS https://shop.test/mcp \
${COMMON}  -H 'MCP-Protocol-Version: 2025-11-25' \
  ${'$'}{SESSION:+-H "Mcp-Session-Id: $SESSION"} \
  --data-raw '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'
`);
});

test('a call whose revision is not known is exported without one', () => {
  const { text } = curlText([called({ revision: undefined })]);
  expect(text).toContain("-H 'MCP-Protocol-Version: '");
  expect(text).not.toContain('undefined');
});

test('only calls of servers with a URL are exported as curl', () => {
  const notes = ['curl needs a server with a URL.'];
  expect(curlText([called({ source: { command: 'node' } })])).toEqual({
    text: '# curl needs a server with a URL\n',
    notes,
  });
  const mixed = curlText([called({ source: { command: 'node' } }), called({})]);
  expect(mixed.notes).toEqual(notes);
  expect(mixed.text).toContain('\n\ncurl -sS');
  expect(curlText([called({ source: { url: 'http://127.0.0.1/a?b=c d' } })]).text).toContain(
    "curl -sS 'http://127.0.0.1/a?b=c d'",
  );
});
