/** All commands connect in the same way: policy, lock file and audit log apply on the command line, too. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, mooring, type Ran, type RunOptions, self } from '../support/command-line.ts';

const server = (description: string, input = '{ order: { type: "string" } }'): string => `
import { appendFileSync } from 'node:fs';
import { createServer, prompt, resource, tool } from ${JSON.stringify(resolve('.cache/fixtures/mooring.mjs'))};
const refund = tool({
  name: 'refund',
  description: ${JSON.stringify(description)},
  input: { type: 'object', properties: ${input} },
  run: ({ order }) => { appendFileSync(new URL('./refunded', import.meta.url), order + '\\n'); return 'Refunded ' + order; },
});
export default createServer({ name: 'shop', version: '1', parts: [
  refund,
  resource({ uri: 'shop://orders', name: 'orders', read: () => 'A-1' }),
  prompt({ name: 'apology', render: () => 'Sorry' }),
] });
`;

const rulesIn = (text: string): string =>
  `import { rules } from ${JSON.stringify(resolve('.cache/fixtures/host.mjs'))};\nexport const policy = [${text}];\n`;

interface Shop extends AsyncDisposable {
  readonly path: string;
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
  refunded(): Promise<string>;
  write(name: string, text: string): Promise<void>;
}

async function shop(): Promise<Shop> {
  const at = await folder();
  const write = (name: string, text: string): Promise<void> => writeFile(join(at.path, name), text);
  await write('server.mjs', server('Refunds an order'));
  return {
    path: at.path,
    write,
    run: (words, options) => mooring(words, { cwd: at.path, ...options }),
    refunded: () => readFile(join(at.path, 'refunded'), 'utf8').catch(() => ''),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** The lock without the last handshake, which is not an approval. */
const approvedIn = async (path: string): Promise<string> =>
  (await readFile(join(path, 'mcp.lock'), 'utf8')).replace(/\n *"handshake".*/, '');

const call = ['call', './server.mjs', 'refund', 'order=A-1'];

describe('a policy on the command line', () => {
  test('denies a call, which ends the command with 1 and reaches no tool', async () => {
    await using at = await shop();
    await at.write('rules.mjs', rulesIn("rules.deny({ name: 'refund' })"));
    for (const options of [{ words: ['--policy', 'rules.mjs'] }, { words: [], env: { MOORING_POLICY: 'rules.mjs' } }]) {
      const { code, stdout, stderr } = await at.run([...call, ...options.words], options);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('deny');
    }
    expect(await at.refunded()).toBe('');
  });

  test('asks before a call on a terminal, and denies it elsewhere', async () => {
    await using at = await shop();
    await at.write('rules.mjs', rulesIn("rules.ask({ name: 'refund' })"));
    const words = [...call, '--policy', 'rules.mjs'];
    const alone = await at.run(words);
    expect([alone.code, alone.stdout]).toEqual([1, '']);
    expect(alone.stderr).toContain('not running in a terminal');
    expect((await at.run(words, { tty: true, stdin: 'n\n' })).code).toBe(1);
    expect(await at.refunded()).toBe('');
    expect(await at.run(words, { tty: true, stdin: 'y\n' })).toMatchObject({ code: 0, stdout: 'Refunded A-1\n' });
  });

  test('holds for resources, prompts and the start of a server as well', async () => {
    await using at = await shop();
    await at.write('rules.mjs', rulesIn("rules.deny({ kind: ['resource', 'prompt'] })"));
    expect((await at.run(['read', './server.mjs', 'shop://orders', '--policy', 'rules.mjs'])).code).toBe(1);
    expect((await at.run(['prompt', './server.mjs', 'apology', '--policy', 'rules.mjs'])).code).toBe(1);
    await at.write('start.mjs', rulesIn("rules.deny({ kind: 'spawn' })"));
    for (const words of [
      ['list', './server.mjs'],
      ['types', './server.mjs'],
      ['trace', './server.mjs'],
      ['doctor', './server.mjs'],
    ])
      expect([words[0], (await at.run([...words, '--policy', 'start.mjs'])).code]).toEqual([words[0], 1]);
  });

  test('that has no rule for a call which was typed leaves it as it is', async () => {
    await using at = await shop();
    await at.write('rules.mjs', rulesIn("rules.deny({ name: 'other' })"));
    expect(await at.run([...call, '--policy', 'rules.mjs'])).toMatchObject({ code: 0, stdout: 'Refunded A-1\n' });
  });
});

describe('an mcp.lock in the folder', () => {
  test('denies a call of a tool whose definition has changed, and asks on a terminal', async () => {
    await using at = await shop();
    expect((await at.run(['lock', 'approve', './server.mjs', '--yes'])).code).toBe(0);
    expect(await at.run(call)).toMatchObject({ code: 0, stdout: 'Refunded A-1\n' });
    const before = await approvedIn(at.path);
    await at.write(
      'server.mjs',
      server(
        'Refunds an order and sends the card number to the bank',
        '{ order: { type: "string" }, card: { type: "string" } }',
      ),
    );
    const alone = await at.run(call);
    expect([alone.code, alone.stdout]).toEqual([1, '']);
    expect(alone.stderr).toContain('definition');
    expect((await at.run(call, { tty: true, stdin: 'n\n' })).code).toBe(1);
    expect(await approvedIn(at.path)).toBe(before);
    expect(await at.run(call, { tty: true, stdin: 'y\n' })).toMatchObject({ code: 0, stdout: 'Refunded A-1\n' });
    expect(await at.run(call)).toMatchObject({ code: 0 });
  });

  test('knows a typed server by its command, under any label', async () => {
    await using at = await shop();
    const entry = { command: process.execPath, args: [...self.args, 'run', './server.mjs'] };
    await at.write('.mcp.json', JSON.stringify({ mcpServers: { orders: entry } }));
    expect((await at.run(['lock', 'approve', 'orders', '--yes'])).code).toBe(0);
    await at.write('server.mjs', server('Refunds an order and sends the card number to the bank'));
    const { code, stderr } = await at.run(['call', 'refund', 'order=A-1', '--', entry.command, ...entry.args]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('its definition is changed')]);
    expect(await approvedIn(at.path)).not.toContain('"server"');
  });

  test('gets no entry for a server that it does not know, and loses none to another server of the same name', async () => {
    await using at = await shop();
    expect((await at.run(['lock', 'approve', './server.mjs', '--yes'])).code).toBe(0);
    const before = await approvedIn(at.path);
    await mkdir(join(at.path, 'src'));
    const others = ['./src/server.mjs', './stranger.mjs'];
    for (const other of others) {
      await at.write(other, server('Refunds another order'));
      expect(await at.run(['call', other, 'refund', 'order=B-1'])).toMatchObject({ code: 0, stdout: 'Refunded B-1\n' });
    }
    expect(await approvedIn(at.path)).toBe(before);
    const named = ['call', './src/server.mjs', 'refund', 'order=B-1', '--lock', 'mcp.lock'];
    expect(await at.run(named)).toMatchObject({ code: 0 });
    const { servers } = JSON.parse(await readFile(join(at.path, 'mcp.lock'), 'utf8')) as { servers: object };
    expect(Object.keys(servers)).toEqual(['server', 'server-2']);
    expect(await at.run(['lock', 'check', './server.mjs'])).toMatchObject({ code: 0 });
  });

  test('is not made by a call', async () => {
    await using at = await shop();
    expect((await at.run(call)).code).toBe(0);
    await expect(readFile(join(at.path, 'mcp.lock'))).rejects.toThrow('ENOENT');
  });
});

describe('an audit log on the command line', () => {
  test('gets a record of the start and of the call, and can be verified', async () => {
    await using at = await shop();
    expect((await at.run([...call, '--audit', 'audit.ndjson'])).code).toBe(0);
    expect((await at.run(call, { env: { MOORING_AUDIT: 'audit.ndjson' } })).code).toBe(0);
    const records = (await readFile(join(at.path, 'audit.ndjson'), 'utf8')).trim().split('\n');
    const acts = records.map((line) => JSON.parse(line) as { phase: string; act: { kind: string; name: string } });
    expect(acts.filter(({ phase }) => phase === 'done').map(({ act }) => act.kind)).toEqual(
      expect.arrayContaining(['spawn', 'tool', 'spawn', 'tool']),
    );
    expect(acts.filter(({ act }) => act.kind === 'tool')[0]?.act.name).toBe('refund');
    expect((await at.run(['audit', 'verify', 'audit.ndjson'])).code).toBe(0);
  });

  test('must be in a folder that exists, and the error names the option or the variable', async () => {
    await using at = await shop();
    const words = await at.run([...call, '--audit', 'no/audit.ndjson']);
    expect(words).toMatchObject({
      code: 2,
      stderr: `error --audit no/audit.ndjson: folder not found (${at.path}/no)\n`,
    });
    const variable = await at.run(call, { env: { MOORING_AUDIT: 'no/audit.ndjson' } });
    expect(variable).toMatchObject({ code: 2, stderr: `error MOORING_AUDIT: folder not found (${at.path}/no)\n` });
  });

  test('gets a record of what was denied', async () => {
    await using at = await shop();
    await at.write('rules.mjs', rulesIn("rules.deny({ name: 'refund' })"));
    expect((await at.run([...call, '--policy', 'rules.mjs', '--audit', 'audit.ndjson'])).code).toBe(1);
    const text = await readFile(join(at.path, 'audit.ndjson'), 'utf8');
    expect(text).toContain('"allowed":false');
  });
});
