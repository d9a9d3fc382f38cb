/** rejectEviction(): a Redis that can evict keys is rejected before the first command. */
import { expect, test } from 'vitest';
import { rejectEviction } from './eviction.ts';

/** A Redis with this response to `INFO`, and OK for every other command. */
function redis(...infos: readonly (string | Error)[]) {
  const [sent, warnings, left]: [string[], string[], (string | Error)[]] = [[], [], [...infos]];
  const send = rejectEviction(
    async ([name = '']) => {
      sent.push(name);
      const reply = name === 'INFO' ? (left.shift() ?? '') : 'OK';
      if (reply instanceof Error) throw reply;
      return reply;
    },
    (text) => void warnings.push(text),
  );
  return { sent, warnings, set: () => send(['SET', 'k', '1'], 'k') };
}
const memory = (policy: string, most = 1_000): string =>
  `# Memory\r\nmaxmemory:${most}\r\nmaxmemory_human:1K\r\nmaxmemory_policy:${policy}\r\n`;

test('a Redis that never evicts, or has no memory limit, is checked once', async () => {
  for (const info of [memory('noeviction'), memory('allkeys-lru', 0)]) {
    const { sent, warnings, set } = redis(info);
    expect([await set(), await set(), sent, warnings]).toEqual(['OK', 'OK', ['INFO', 'SET', 'SET'], []]);
  }
});

test.each(['allkeys-lru', 'volatile-ttl', 'volatile-random'])(
  'the policy %s is rejected, and no command is sent',
  async (policy) => {
    const { sent, set } = redis(memory(policy), memory(policy));
    const refused = { code: 'MCP_BAD_DEFINITION', message: expect.stringContaining(`maxmemory-policy is ${policy}`) };
    await expect(set()).rejects.toMatchObject(refused);
    await expect(set()).rejects.toMatchObject(refused);
    expect(sent).toEqual(['INFO', 'INFO']);
  },
);

test('a failed check of the policy is repeated before the next command', async () => {
  const { sent, warnings, set } = redis(new Error('ECONNREFUSED'), memory('noeviction'));
  await expect(set()).rejects.toThrow('ECONNREFUSED');
  expect(await set()).toBe('OK');
  expect([sent, warnings]).toEqual([['INFO', 'INFO', 'SET'], []]);
});

test.each([
  ['NOPERM this user has no permissions to run the info command', ' (NOPERM'],
  ["ERR unknown command 'INFO'", ' (ERR unknown'],
])('a Redis that rejects INFO is used with a warning: %s', async (message, shown) => {
  const { sent, warnings, set } = redis(new Error(message));
  expect([await set(), await set(), sent]).toEqual(['OK', 'OK', ['INFO', 'SET', 'SET']]);
  expect(warnings).toEqual([expect.stringContaining(`does not say whether it evicts keys${shown}`)]);
  expect(warnings[0]).toContain('Set maxmemory-policy noeviction');
});

test('a Redis that does not report its policy is used with a warning', async () => {
  for (const info of ['# Memory\r\nused_memory:1\r\n', 'maxmemory_policy:\r\n', 'no_maxmemory_policy:noeviction']) {
    const { warnings, set } = redis(info);
    expect(await set()).toBe('OK');
    expect(warnings).toEqual(['Redis does not say whether it evicts keys. Set maxmemory-policy noeviction']);
  }
});
