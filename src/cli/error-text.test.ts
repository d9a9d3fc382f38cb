/** Errors of the command line never name settings of the library. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sourceFiles } from '../../test/support/source.ts';
import { type ErrorCode, errors, McpError, RpcError } from '../errors.ts';
import { MISSING_CAPABILITY } from '../model/names.ts';
import { cannotAskError } from '../revisions/asks/question.ts';
import { errorText } from './error-text.ts';
import { exitCodeOf } from './exit-codes.ts';

/** Settings of connect, createHost and oauth, as their messages spell them. */
const setting =
  /\b(?:[a-z]+Timeout|timeout|connect)Ms\b|\bmax[A-Z]\w+\b|\bclientMetadataUrl\b|\bdangerously\w+|"(?:headers|auth|client|env|issuer)"/;

const rooms = /^src\/(?:client|connect|transport\/http-client|transport\/child|auth\/client|auth\/web|peer)/;

/** Errors that no command can cause. */
const elsewhere: readonly RegExp[] = [
  /The option "clientMetadataUrl"/, // the command line does not set it
  /The option "auth"/, // the command line does not set it for commands
  /"expiresIn"|"privateKey"|subjectToken/,
  /^timeoutMs is /, // tested below
  /leave the port out of redirectUri/, // its redirect URI has no port
];

/** Every text in the library that names a setting and can be part of an error. */
const texts = sourceFiles()
  .filter((file) => rooms.test(file) && !file.includes('/machine/') && !file.endsWith('options.ts'))
  .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
  .flatMap((line) => [...line.matchAll(/(['`])((?:(?!\1).)*)\1/g)].map(([, , text = '']) => text))
  .filter((text) => text.includes(' '))
  .map((text) => text.replace(/\$\{[^}]*\}/g, '7000'))
  .filter((text) => setting.test(text) && !elsewhere.some((one) => one.test(text)));

describe('an error on the command line', () => {
  test('is tested with texts of the library that name settings', () => {
    expect(texts.length).toBeGreaterThan(2);
  });

  test.each([
    ...texts.map((text) => ['MCP_AUTH_FAILED', { url: 'https://a.test/mcp', step: 'token', why: text }] as const),
    ['MCP_UNAUTHORIZED', { url: 'https://a.test/mcp', advice: 'pass credentials as "headers" or "auth"' }],
    ['MCP_TIMEOUT', { method: 'connect', ms: 5, setting: 'connectTimeoutMs' }],
    ['MCP_TIMEOUT', { method: 'tools/call', ms: 5, setting: 'timeoutMs is 5 and restarts, maxTimeoutMs is 9' }],
    ['MCP_TOO_LARGE', { what: 'It', limit: 5, setting: 'maxAnswerBytes' }],
    ['MCP_TOO_LARGE', { what: 'It', limit: 5, setting: 'maxLineBytes' }],
    ['MCP_TOO_LARGE', { what: 'It', limit: 5, setting: 'maxUnreadBytes' }],
    ['MCP_TOO_MANY_ROUNDS', { method: 'It', rounds: 5, setting: 'limits.maxRounds' }],
    ['MCP_TOO_MANY_ROUNDS', { method: 'It', rounds: 5, setting: 'maxRounds' }],
    ['MCP_LIST_TOO_LONG', { method: 'It', limit: 5, unit: 'pages', setting: 'limits.maxPages' }],
    ['MCP_LIST_TOO_LONG', { method: 'It', limit: 5, unit: 'items', setting: 'limits.maxItems' }],
  ] as const)('of %s with %j names no setting of the library', (code, details) => {
    const error = new McpError(code as ErrorCode, details as never); // fills in only the placeholders of its own text
    expect(errorText(error)).not.toMatch(setting);
    expect(errorText(new McpError('MCP_CLOSED', { why: 'x' }, { cause: error }))).not.toMatch(setting);
  });

  test.each(Object.keys(errors) as ErrorCode[])('%s has a text of its own without settings', (code) => {
    expect(errors[code].text).not.toMatch(setting);
  });

  test.each(['elicitation', 'sampling', 'roots'])(
    'about a missing %s names no function of the library',
    (capability) => {
      const { message } = cannotAskError({ method: 'a/question' }, { [capability]: {} });
      expect(message).toContain('connect()');
      const text = errorText(new RpcError(MISSING_CAPABILITY, message));
      expect(text).toMatch(/^The client does not support a\/question \(\w+\)\. (?:Use `mooring|The command line) /);
      expect(text).not.toMatch(/\(\)/);
    },
  );

  test.each([
    ['connect ECONNREFUSED 127.0.0.1:3000', 'no server listens at 127.0.0.1:3000. Start it, or check the URL'],
    ['fetch failed: connect ECONNREFUSED ::1:9090', 'no server listens at ::1:9090. Start it, or check the URL'],
    ['getaddrinfo ENOTFOUND a.test', 'the name a.test has no address. Check the URL'],
    ['the port does not use TLS; try http:', 'the port does not use TLS; try http:'],
  ])('says what to do about %s', (why, text) => {
    const error = new McpError('MCP_UNREACHABLE', { url: 'http://a.test/mcp', why });
    expect(errorText(error)).toBe(`http://a.test/mcp cannot be reached: ${text}`);
  });

  test('names `mooring login` if a server requires a sign-in', () => {
    const details = { url: 'https://a.test/mcp', method: 'x', status: 401, challenge: 'Bearer', body: '' };
    const advice = 'pass credentials as "headers" or "auth"';
    expect(errorText(new McpError('MCP_UNAUTHORIZED', { ...details, advice }))).toContain(
      'sign in with `mooring login https://a.test/mcp`, or pass --header',
    );
  });

  test.each([
    [
      'Bearer realm="mcp", error="invalid_token", error_description="The token has expired"',
      401,
      'The token has expired',
    ],
    ['Bearer resource_metadata="https://a.test/x"', 401, '(status 401); sign in'],
    [
      'Bearer error="insufficient_scope", scope="orders orders:write"',
      403,
      '(status 403); sign in with `mooring login https://a.test/mcp --scope orders --scope orders:write`, or pass --header',
    ],
    [`Bearer error="insufficient_scope", scope="a;reboot"`, 403, "--scope 'a;reboot'`"],
    ['Bearer error_description="Say \\"please\\", and wait"', 401, '(status 401: Say "please", and wait)'],
    ['without WWW-Authenticate', 403, '(status 403); sign in'],
  ])('shows the description of the challenge %s, and not its header syntax', (challenge, status, said) => {
    const advice = 'pass credentials as "headers" or "auth"';
    const details = { url: 'https://a.test/mcp', method: 'x', status, challenge, body: '', advice };
    const text = errorText(new McpError('MCP_UNAUTHORIZED', details));
    expect(text).toContain(said);
    expect(text).not.toMatch(/Bearer (?:realm|error|resource)|WWW-Authenticate|resource_metadata/);
  });

  test('names --header for a challenge of a scheme without a sign-in (Basic)', () => {
    const advice = 'pass credentials as "headers" or "auth"';
    const details = {
      url: 'https://a.test/mcp',
      method: 'x',
      status: 401,
      challenge: 'Basic realm="x"',
      body: '',
      advice,
    };
    expect(errorText(new McpError('MCP_UNAUTHORIZED', details))).toBe(
      'https://a.test/mcp rejected x for lack of authorization (status 401); pass --header "Authorization: Basic …"',
    );
  });

  test.each([
    ['MCP_TOO_LARGE', { what: `A line written by the server process ${process.execPath}`, limit: 5, setting: 'x' }],
    ['MCP_SERVER_SILENT', { command: process.execPath, stderr: '' }],
    ['MCP_SERVER_EXITED', { command: process.execPath, how: 'code 2', stderr: '' }],
    ['MCP_BAD_LINE', { peer: process.execPath, line: 'hello' }],
  ] as const)('%s does not name the Node that runs a module', (code, details) => {
    const text = errorText(new McpError(code as ErrorCode, details as never)); // fills in only the placeholders of its own text
    expect(text).toMatch(/server process (?:is|sent|ended|wrote)/i);
    expect(text).not.toContain(process.execPath);
  });

  test('about a call whose server ended does not advise to start the server', () => {
    const cause = new McpError('MCP_SERVER_EXITED', { command: 'node', how: 'code 7', stderr: '' });
    const error = new McpError('MCP_OUTCOME_UNKNOWN', { method: 'tools/call' }, { cause });
    expect(errorText(error)).toMatch(/\nThe server process node ended \(code 7\)$/);
    expect(exitCodeOf(error)).toBe(6);
    expect(exitCodeOf(new McpError('MCP_OUTCOME_UNKNOWN', { method: 'tools/call' }))).toBe(3);
  });

  test('shows the stderr of a process that exited as one block', () => {
    const stderr = '; the end of its stderr:\n  | error ./shop.ts: exports no server\n  |     at line 3';
    const error = new McpError('MCP_SERVER_EXITED', { command: '/usr/bin/node', how: 'code 2', stderr });
    expect(errorText(error)).toBe(
      'The server process ended (code 2):\n  ./shop.ts: exports no server\n      at line 3',
    );
    const silent = new McpError('MCP_SERVER_EXITED', { command: 'node', how: 'code 2', stderr: '' });
    expect(errorText(silent)).toBe(
      'The server process node ended (code 2) and wrote nothing to standard error. Run it in a terminal to see why, or see `mooring doctor`',
    );
  });
});
