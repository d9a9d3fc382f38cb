/** Duties that only authors of servers can fulfill, which the documentation must name. */
import { expect, test } from 'vitest';
import { textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

/** The list items of the page, by id. */
const duties = new Map(
  textOf('docs/guide/duties.md')
    .split(/^- /m)
    .flatMap((item) => {
      const flat = item.replace(/\s+/g, ' ');
      const ids = /\(([A-Z]+-\d+(?:, [A-Z]+-\d+)*)\)/.exec(flat)?.[1]?.split(', ') ?? [];
      return ids.map((id): [string, string] => [id, flat]);
    }),
);

test('tells how to write for a model', () => {
  verifies('DISC-9', 'PROGRESS-005', 'TOOL-67', 'TOOL-53', 'COMP-6', 'COMP-7');
  expect(duties.get('DISC-9')).toContain('Do not repeat the descriptions of tools');
  expect(duties.get('PROGRESS-005')).toContain('messages that a person can understand');
  expect(duties.get('TOOL-67')).toContain('the server should also offer resources');
  expect(duties.get('TOOL-53')).toContain('Sanitize what your tools return');
  expect(duties.get('COMP-6')).toContain('Sort completions by relevance');
  expect(duties.get('COMP-7')).toContain('tolerate typing errors');
});

test('tells to limit how often each caller can call', () => {
  verifies('TOOL-52', 'COMP-8', 'COMP-14');
  const told = '`use(server, rateLimit({ calls, perMs }))`. There is none by default';
  expect(duties.get('TOOL-52')).toContain(told);
  expect(duties.get('COMP-8')).toContain(told);
  expect(duties.get('COMP-14')).toContain(told);
});

test('documents the extensions, what happens without each, and the limits of tasks', () => {
  verifies('EXT-4', 'EXT-6', 'BASE-082', 'TASK-52', 'TASK-54', 'TASK-55');
  const extensions = textOf('docs/explain/eras.md');
  for (const id of ['tasks', 'ui', 'skills'])
    expect(extensions).toMatch(new RegExp(`io.modelcontextprotocol/${id}\`.*\\|.*\\w`));
  expect(textOf('docs/guide/tasks.md')).toContain('Without authorization, the task ID alone opens a task');
  const limits = textOf('docs/reference/limits.md');
  for (const limit of ['maxTasksPerCaller', 'maxTtlMs']) expect(limits).toContain(limit);
});

test('tells how to name things', () => {
  verifies('RES-20', 'RES-17', 'RES-22', 'BASE-040', 'BASE-045');
  expect(duties.get('BASE-040')).toContain('a number outside −32768 to −32000');
  expect(duties.get('RES-20')).toContain('only if clients can load it from the web themselves');
  expect(duties.get('RES-17')).toContain('only if all resources that match it have that type');
  expect(duties.get('RES-22')).toContain('`inode/directory`');
  expect(duties.get('BASE-045')).toContain('`com.example/`');
});

test('tells how to carry state from one call to the next', () => {
  verifies('LIFE-041', 'TOOL-86', 'TOOL-87');
  expect(duties.get('LIFE-041')).toContain('Let one tool return a handle and the next one take it as an argument');
  expect(duties.get('TOOL-86')).toContain('Say in the description of the first tool how long the handle is valid');
  expect(duties.get('TOOL-87')).toContain('an unknown or expired handle with a `ToolError`');
});

test('tells whose a handle is, and how a page knows its visitor', () => {
  verifies(
    'TOOL-88',
    'TOOL-89',
    'SEC-029',
    'SEC-030',
    'SEC-031',
    'ELIC-44',
    'ELIC-45',
    'ELIC-47',
    'ELIC-64',
    'ELIC-65',
  );
  for (const id of ['TOOL-88', 'SEC-029'])
    expect(duties.get(id)).toContain('A handle does not prove who the caller is');
  expect(duties.get('TOOL-88')).toContain('Store its data under `ctx.principal` and the handle together');
  expect(duties.get('SEC-029')).toContain('useless to other callers');
  expect(duties.get('SEC-031')).toContain('under `ctx.principal` and the handle together');
  expect(duties.get('TOOL-89')).toContain('let it expire');
  expect(duties.get('SEC-030')).toContain('`crypto.randomUUID()`');
  expect(duties.get('ELIC-64')).toContain('must check who opened it: by your own sign-in');
  expect(duties.get('ELIC-65')).toContain('never by what is in the URL');
  expect(duties.get('ELIC-44')).toContain('to authorize them for this server');
  expect(duties.get('ELIC-45')).toContain('never give them to an MCP client');
  expect(duties.get('ELIC-47')).toContain('let the user consent there');
});

test('tells how to keep secrets out of forms, addresses, headers and logs', () => {
  verifies('ELIC-7', 'ELIC-8', 'ELIC-9', 'ELIC-52', 'ELIC-53', 'ELIC-54', 'ELIC-55');
  verifies('LOG-14', 'LOG-15', 'LOG-16', 'TOOL-77', 'COMP-16');
  for (const id of ['ELIC-7', 'ELIC-8']) expect(duties.get(id)).toMatch(/^Never ask for passwords.* in a form/);
  expect(duties.get('ELIC-9')).toContain('Send the user to your own page');
  expect(duties.get('ELIC-52')).toContain('no personal data, credentials or pre-authentication into that URL');
  expect(duties.get('ELIC-53')).toContain('pre-authentication');
  expect(duties.get('ELIC-54')).toContain('no links into the text of a form');
  expect(duties.get('ELIC-55')).toContain('Use `https:` outside of development');
  expect(duties.get('LOG-14')).toContain('Put context into the data of a log message');
  expect(duties.get('LOG-15')).toContain('Remove them before you log');
  expect(duties.get('LOG-16')).toContain('no credentials, personal data or internals');
  expect(duties.get('TOOL-77')).toContain('Do not mark an argument with `x-mcp-header` if it can contain a secret');
  expect(duties.get('COMP-16')).toContain('Suggest only what the caller can read anyway');
});

test('tells what an answer of the user may be, and how far roots carry', () => {
  verifies('ELIC-24', 'ELIC-39', 'ROOT-14', 'ROOT-15');
  expect(duties.get('ELIC-24')).toContain('Handle all three answers');
  expect(duties.get('ELIC-39')).toContain('A question can also fail');
  expect(duties.get('ROOT-14')).toContain('expect one to be gone');
  expect(duties.get('ROOT-15')).toContain('Resolve every path, then check that it is inside');
  expect(duties.get('ROOT-16')).toContain('Request the roots in each call that needs them');
});

test('tells what an app must not rely on', () => {
  verifies('APP-10', 'APP-43', 'APP-54');
  expect(duties.get('APP-10')).toContain('only as the documentation of the host says');
  expect(duties.get('APP-43')).toContain('Decide nothing by the arguments of `onPartialInput`');
  expect(duties.get('APP-54')).toContain('Do not assume that a permission was granted');
});

test('tells what not to start using, and what to move to', () => {
  verifies('LOG-11', 'LOG-12', 'SAMP-12', 'SAMP-42', 'ROOT-21', 'BASE-089', 'BASE-090');
  expect(duties.get('LOG-11')).toContain('instead of `ctx.log`');
  expect(duties.get('LOG-12')).toContain('Log to standard error or with OpenTelemetry');
  expect(duties.get('SAMP-12')).toContain('omit `includeContext`');
  expect(duties.get('SAMP-42')).toContain('Call a model provider instead of `ctx.sample`');
  expect(duties.get('ROOT-21')).toContain('instead of `ctx.roots`');
  expect(duties.get('BASE-089')).toContain('HTTP+SSE and dynamic client registration');
  expect(duties.get('BASE-090')).toContain('Migrate before they are removed');
});

test('tells what may stand between a client on a server and the networks it sees', () => {
  verifies('SEC-021');
  expect(duties.get('SEC-021')).toContain('through an egress proxy (option `fetch`)');
});

test('tells what the headers and the endpoints of HTTP are for', () => {
  verifies('HTTP-098', 'SSE-013', 'SSE-014');
  expect(duties.get('HTTP-098')).toContain('Proxies and logs read headers');
  expect(duties.get('SSE-013')).toContain('only for clients that support nothing else');
  expect(duties.get('SSE-014')).toContain('migrate them to the Streamable HTTP endpoint');
});

test('names no duty that this file does not check', () => {
  const checked = textOf('test/arch/duties.test.ts');
  expect(
    [...duties.keys()].filter((id) => !checked.includes(`duties.get('${id}')`) && !/^ELIC-[78]$/.test(id)),
  ).toEqual([]);
});

test('tells what to do with the reason of a cancellation', () => {
  verifies('CANCEL-010');
  expect(duties.get('CANCEL-010')).toContain('log `ctx.signal.reason`');
});

test('tells who decides what a server may know and do', () => {
  verifies('HOST-14');
  expect(duties.get('HOST-14')).toContain('Stay within the roots that you are shown');
  expect(duties.get('HOST-14')).toContain('Do not get elsewhere what the call did not contain');
});
