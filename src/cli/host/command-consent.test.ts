import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { folder, mooring, type RunOptions } from '../../../test/support/command-line.ts';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { McpError } from '../../errors.ts';
import type { Act } from '../../host/index.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { CommandContext } from '../command.ts';
import { Interrupted } from '../exit-codes.ts';
import { CommandConsent, type CommandConsentOptions } from './command-consent.ts';

/** A project and a home, each with servers that exit as soon as they start. */
async function places(): Promise<AsyncDisposable & Required<Pick<RunOptions, 'cwd' | 'home'>>> {
  const at = await folder();
  const [cwd, home] = [join(at.path, 'project'), join(at.path, 'home')];
  await mkdir(cwd);
  await mkdir(join(home, '.cursor'), { recursive: true });
  return { cwd, home, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const write = (file: string, servers: object): Promise<void> =>
  writeFile(file, JSON.stringify({ mcpServers: servers }, undefined, 2));
const ends = (word: string): object => ({ command: 'true', args: [word] });
const unknown = 'is not approved yet';

describe('what was agreed to', () => {
  test('holds when another server is written above it, and for nothing else', async () => {
    await using at = await places();
    const file = join(at.cwd, '.mcp.json');
    await write(file, { shop: ends('shop') });
    expect((await mooring(['list', 'shop'], at)).stderr).toContain(unknown);
    const asked = await mooring(['list', 'shop'], { ...at, tty: true, stdin: 'y\n' });
    expect(asked.stderr).toContain('Start a program for shop?\n  true shop');
    expect(asked.stderr.replace(/\s+/g, ' ')).toContain(
      `"cwd": "${at.cwd}" } effects: not known; may reach beyond the server ${file}, line 3, names this server, so you are asked`,
    );
    await write(file, { other: ends('other'), more: ends('more'), shop: ends('shop') });
    expect((await mooring(['list', 'shop'], at)).stderr).not.toContain(unknown);
    expect((await mooring(['list', 'other'], at)).stderr).toContain(unknown);
    await write(file, { other: ends('other'), shop: ends('changed') });
    expect((await mooring(['list', 'shop'], at)).stderr).toContain(unknown);
  });

  test('was shown whole before, with a warning, and a no starts nothing', async () => {
    verifies('SEC-033');
    await using at = await places();
    const started = join(at.cwd, 'started');
    const args = ['-c', `touch ${started}`, 'x'.repeat(5_000), 'last word'];
    await write(join(at.cwd, '.mcp.json'), { shop: { command: 'sh', args } });
    for (const stdin of ['n\n', '\n', '']) {
      const { code, stderr } = await mooring(['list', 'shop'], { ...at, tty: true, columns: 100_000, stdin });
      expect(code).not.toBe(0);
      expect(stderr).toContain(`sh -c "touch ${started}" ${'x'.repeat(5_000)} "last word"`);
      expect(stderr).toContain('This starts a program');
      expect(existsSync(started)).toBe(false);
    }
  });

  test('holds for the file that it is written in', async () => {
    await using at = await places();
    await write(join(at.cwd, '.mcp.json'), { shop: ends('shop') });
    await mooring(['list', 'shop'], { ...at, tty: true, stdin: 'y\n' });
    await using other = await places();
    await write(join(other.cwd, '.mcp.json'), { shop: ends('shop') });
    expect((await mooring(['list', 'shop'], { ...other, home: at.home })).stderr).toContain(unknown);
  });

  test('is not started when it became something else while the user was asked', async () => {
    await using at = await places();
    const file = join(at.cwd, '.mcp.json');
    await write(file, { shop: { command: `\${env:TOOL}` } });
    let command = 'true';
    const env = {
      get TOOL(): string {
        return command;
      },
    };
    const onStderr = (text: string): void => {
      if (text.includes('explain: ')) command = 'false';
    };
    const ran = await mooring(['list', 'shop'], { ...at, env, tty: true, stdin: 'y\n', onStderr });
    expect(ran.stderr).toContain('changed');
  });
});

describe("a project's configuration", () => {
  test("takes over no label of the user's own", async () => {
    await using at = await places();
    await write(join(at.home, '.cursor', 'mcp.json'), { github: ends('mine') });
    await write(join(at.cwd, '.mcp.json'), { GitHub: ends('theirs'), docs: ends('docs') });
    const { stdout } = await mooring(['servers', '--json'], at);
    const rows = (JSON.parse(stdout) as { servers: { name: string; what: string }[] }).servers;
    expect(Object.fromEntries(rows.map(({ name, what }) => [name, what]))).toEqual({
      github: 'true mine',
      'github-2': 'true theirs',
      docs: 'true docs',
    });
    for (const name of ['github', 'GitHub', 'GITHUB'])
      expect((await mooring(['list', name], at)).stderr).toContain('true mine');
    expect((await mooring(['list', 'github-2'], at)).stderr).toContain('true theirs');
  });
});

test('a policy that asks before a typed server is started names the rule to add, where this is not a terminal', async () => {
  await using at = await places();
  const host = resolve('src/host/index.ts');
  await writeFile(join(at.cwd, 'policy.ts'), `import { rules } from '${host}';\nexport default [rules.ask({})];\n`);
  const ran = await mooring(['list', '--policy', 'policy.ts', '--', 'true'], at);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(
    'the rule "ask everything" requires your approval for starting true, and this is not running in a terminal',
  );
  expect(ran.stderr).toContain("rules.allow({ kind: 'spawn', server: 'true' })");
});

test('a question about a configured server that a rule of the user asks about names the rule and the file', async () => {
  await using at = await places();
  const host = resolve('src/host/index.ts');
  await writeFile(
    join(at.cwd, 'policy.ts'),
    `import { rules } from '${host}';\nexport default [rules.ask({ server: 'sh*' })];\n`,
  );
  const file = join(at.cwd, '.mcp.json');
  await write(file, { shop: ends('shop') });
  const asked = await mooring(['list', 'shop', '--policy', 'policy.ts'], { ...at, tty: true, stdin: 'n\n' });
  expect(asked.stderr.replace(/\s+/g, ' ')).toContain(
    `${file}, line 3, names this server, and server is shop (rule: ask { server: sh* }), so you are asked`,
  );
});

const denied = new McpError('MCP_DENIED', { id: '1', what: 'this', why: 'the user declined', rule: 'ask everything' });

/** The consent of a command, without a terminal or with one that was left. */
function consentOf({ isTTY = false, ...options }: Partial<CommandConsentOptions> & { isTTY?: boolean } = {}) {
  const notes: string[] = [];
  const stderr = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { isTTY });
  const by = {
    shell: { stdin: Object.assign(new PassThrough().end(), { isTTY }), stderr, clock: virtualClock() },
    print: { note: (text: string) => notes.push(text), style: (_: string, text: string) => text },
  } as unknown as CommandContext; // the members that are used
  const lendTerminal: CommandConsentOptions['lendTerminal'] = (ask) => ask();
  const consent = new CommandConsent(by, { targets: new Map(), lendTerminal, ...options });
  const ask = (facts: Partial<Act>): ReturnType<CommandConsent['ask']> =>
    consent.ask(
      {
        ...{ id: '1', act: act(facts), binding: 'b', rule: 'ask everything', why: 'everything is asked about' },
        ...{ warnings: [], editable: false, canRemember: false },
      },
      new AbortController().signal,
    );
  return { consent, ask, notes };
}

test('without a terminal, every question is declined, and the user is told of the pages that were not opened', async () => {
  const onInterrupt = vi.fn();
  const { ask, notes, consent } = consentOf({ onInterrupt });
  const answer = { allow: false, reason: 'everything is asked about, and this is not running in a terminal' };
  for (const kind of ['tool', 'elicitation', 'spawn'] as const) expect(await ask({ kind })).toEqual(answer);
  expect(notes).toEqual([]);
  const visit = { kind: 'visit', server: 'shop', name: 'https://pay.example' } as const;
  expect(await ask({ ...visit, arguments: { message: 'Pay\u001b[2J' } })).toEqual(answer);
  expect(await ask({ ...visit, arguments: { message: 7 } })).toEqual(answer);
  expect(notes).toEqual([
    'shop: the request to open https://pay.example ("Pay\\u001b[2J") was declined: not running in a terminal',
    'shop: the request to open https://pay.example was declined: not running in a terminal',
  ]);
  expect(onInterrupt).not.toHaveBeenCalled();
  expect(consent.explain(new Error('another'))).toEqual(new Error('another'));
});

test('only a declined question about opening a server explains why the server is not there', async () => {
  const { ask, consent } = consentOf();
  await ask({ kind: 'tool' });
  expect(consent.explain(denied)).toBe(denied);
  await ask({ kind: 'connect', server: 'shop', name: 'https://shop.example' });
  expect(consent.explain(denied)).toMatchObject({
    message: expect.stringContaining('requires your approval for connecting to https://shop.example'),
  });
  const other = new McpError('MCP_CLOSED', { why: 'it ended' });
  expect(consent.explain(other)).toBe(other);
});

test('a user who leaves at a question ends the command', async () => {
  const onInterrupt = vi.fn();
  const { ask, consent } = consentOf({ isTTY: true, onInterrupt });
  expect(await ask({ kind: 'spawn', name: 'true' })).toMatchObject({ allow: false });
  expect(onInterrupt).toHaveBeenCalledOnce();
  expect(consent.explain(denied)).toBeInstanceOf(Interrupted);
});

test('a question of a server that the user left has no answer if that ends the command, and is declined otherwise', async () => {
  const onInterrupt = vi.fn();
  const ending = consentOf({ isTTY: true, onInterrupt });
  let isAnswered = false;
  void ending.ask({ kind: 'elicitation' }).then(() => {
    isAnswered = true;
  });
  await soon(() => expect(onInterrupt).toHaveBeenCalledOnce());
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(isAnswered).toBe(false);
  expect(await consentOf({ isTTY: true }).ask({ kind: 'elicitation' })).toMatchObject({ allow: false });
});
