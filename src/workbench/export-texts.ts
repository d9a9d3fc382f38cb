/** Renders calls of the timeline as shell commands, as a Vitest test or as curl commands that repeat them. */
import type { ServerSource } from '../host/index.ts';
import { request } from '../jsonrpc/message.ts';
import { encodeHeader } from '../model/header-value.ts';
import { METHOD_HEADER, NAME_HEADER, nameParams } from '../model/mirrored-headers.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION } from '../model/names.ts';
import { printable } from '../model/printable.ts';
import { shellWord } from '../model/shell-word.ts';
import { findRevision } from '../revisions/index.ts';
import { type ExportedCall, objectIn } from './exported-call.ts';
import { addressOf } from './workbench-servers.ts';

export interface ExportedText {
  readonly text: string;
  readonly notes: readonly string[];
}

const MASK_NOTE = 'Replace each [masked] with its value.';

export function cliText(calls: readonly ExportedCall[]): ExportedText {
  const lines = calls.map(cliLine);
  return { text: `${lines.join('\n')}\n`, notes: calls.some(({ hasMasks }) => hasMasks) ? [MASK_NOTE] : [] };
}

function cliLine({ source, server, method, params, revision, answers }: ExportedCall): string {
  const [before, after] = targetWords(source, server);
  const given = answers.flatMap((one) =>
    Object.entries(objectIn(one, 'content')).map(([key, value]) => `--answer ${shellWord(`${key}=${plain(value)}`)}`),
  );
  const spoken = revision === undefined ? [] : ['--revision', shellWord(revision)];
  const words = wordsOf(method, params);
  if (words === undefined) return `# no mooring command sends ${printable(method)}`;
  const [command = '', ...rest] = words;
  return ['mooring', command, ...before, ...rest.map(shellWord), ...given, ...spoken, ...after].join(' ');
}

function wordsOf(method: string, params: ExportedCall['params']): readonly string[] | undefined {
  const args = objectIn(params, 'arguments');
  if (method === 'tools/call') return ['call', String(params['name']), JSON.stringify(args)];
  if (method === 'resources/read') return ['read', String(params['uri'])];
  if (method === 'prompts/get')
    return ['prompt', String(params['name']), ...Object.entries(args).map(([key, value]) => `${key}=${plain(value)}`)];
  return method.endsWith('/list') ? ['list'] : undefined;
}

/** The words of a command line that select the server: before the tool's name, and at the end. */
function targetWords(
  source: ServerSource,
  label: string,
): readonly [before: readonly string[], after: readonly string[]] {
  if (typeof source === 'object' && 'from' in source && source.from !== undefined) return [[shellWord(label)], []];
  const { module } = moduleOf(source);
  if (module !== undefined) return [[shellWord(module)], []];
  if (typeof source === 'object' && 'command' in source)
    return [[], ['--', ...[source.command, ...(source.args ?? [])].map((one) => shellWord(String(one)))]];
  return [[shellWord(addressOf(source))], []];
}

/** The module, if the command was displayed as `npx mooring run shop.ts`. */
function moduleOf(source: ServerSource): { readonly module?: string } {
  const shown = typeof source === 'object' && 'command' in source ? source.shownAs : undefined;
  const [, , run, module] = shown ?? [];
  return run === 'run' && module !== undefined ? { module } : {};
}

export function testText(calls: readonly ExportedCall[]): ExportedText {
  const tests = calls.filter(({ method }) => method === 'tools/call').map(testOf);
  const text = [
    "import { connect } from 'mooring/client';",
    "import { expect, test } from 'vitest';",
    '',
    ...tests,
  ].join('\n');
  const left = calls.length - tests.length;
  const notes = [
    ...(left === 0 ? [] : [`Only tool calls become tests; other requests left out: ${left}.`]),
    ...(calls.some(({ hasMasks }) => hasMasks) ? [MASK_NOTE] : []),
  ];
  return { text, notes };
}

function testOf({ source, params, revision, answers, result = {} }: ExportedCall): string {
  const name = String(params['name']);
  const replies = answers.map((one) => ({
    action: one['action'] ?? 'accept',
    ...(one['content'] === undefined ? {} : { content: one['content'] }),
  }));
  const options = [
    ...(revision === undefined ? [] : [`revisions: [${code(revision)}]`]),
    ...(replies.length === 0 ? [] : ["elicit: { form: async () => answers.shift() ?? { action: 'cancel' } }"]),
  ];
  const expected = [
    `  expect(result.content).toEqual(${code(result['content'] ?? [])});`,
    ...(result['structuredContent'] === undefined
      ? []
      : [`  expect(result.data).toEqual(${code(result['structuredContent'])});`]),
    `  expect(result.isError).toBe(${result['isError'] === true});`,
  ];
  return [
    `test(${code(`${name} returns what it returned in the workbench`)}, async () => {`,
    ...(replies.length === 0
      ? []
      : [
          `  const answers: { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number | boolean | string[]> }[] = ${code(replies)};`,
        ]),
    `  await using client = await connect(${targetCode(source)}, { ${options.join(', ')} });`,
    `  const result = await client.attempt(${code(name)}, ${code(objectIn(params, 'arguments'))});`,
    ...expected,
    '});',
    '',
  ].join('\n');
}

/** The target as code. Leaves out environment variables, which can be secrets. */
function targetCode(source: ServerSource): string {
  const { module } = moduleOf(source);
  if (module !== undefined) return code({ command: 'npx', args: ['mooring', 'run', module] });
  if (typeof source !== 'object' || !('command' in source)) return code(addressOf(source));
  const { command, args = [], cwd } = source;
  return code({ command: String(command), args: args.map(String), ...(cwd === undefined ? {} : { cwd: String(cwd) }) });
}

/** One curl command per call, after a handshake if the revision has sessions. */
export function curlText(calls: readonly ExportedCall[]): ExportedText {
  const texts = calls.map(curlOf);
  const isHttp = texts.every((one) => one !== undefined);
  const token = 'If the server requires a sign-in, set TOKEN to an access token.';
  return {
    text: texts.map((one) => one ?? '# curl needs a server with a URL\n').join('\n'),
    notes: isHttp ? [token] : ['curl needs a server with a URL.'],
  };
}

function curlOf({ source, method, params, revision }: ExportedCall): string | undefined {
  const address = addressOf(source);
  if (!/^https?:/.test(address)) return undefined;
  const found = revision === undefined ? undefined : findRevision(revision);
  const common = [
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    '$'.concat('{TOKEN:+-H "Authorization: Bearer $TOKEN"}'),
  ];
  const post = (body: object, headers: readonly string[], flags = ''): string =>
    [
      `curl -sS${flags} ${shellWord(address)}`,
      ...common,
      ...headers,
      `--data-raw ${shellWord(JSON.stringify(body))}`,
    ].join(' \\\n  ');
  const version = `-H ${shellWord(`MCP-Protocol-Version: ${revision ?? ''}`)}`;
  const meta = { [PROTOCOL_VERSION]: revision, [CLIENT_INFO]: client, [CLIENT_CAPABILITIES]: {} };
  if (found?.hasSessions === false) {
    const name = params[nameParams.get(method) ?? ''];
    const named = typeof name === 'string' ? [`-H ${shellWord(`${NAME_HEADER}: ${encodeHeader(name)}`)}`] : [];
    return `${post(request(1, method, { ...params, _meta: meta }), [version, `-H ${shellWord(`${METHOD_HEADER}: ${encodeHeader(method)}`)}`, ...named])}\n`;
  }
  const open = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities: {}, clientInfo: client },
  };
  const session = '$'.concat('{SESSION:+-H "Mcp-Session-Id: $SESSION"}');
  return [
    `SESSION=$(${post(open, [], ' -D - -o /dev/null')} | tr -d '\\r' | sed -n 's/^mcp-session-id: //Ip')`,
    post({ jsonrpc: '2.0', method: 'notifications/initialized' }, [version, session], ' -o /dev/null'),
    `${post(request(1, method, params), [version, session])}\n`,
  ].join('\n');
}

const client = { name: 'curl', version: '1.0.0' } as const;
const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const code = (value: unknown): string => JSON.stringify(value);
