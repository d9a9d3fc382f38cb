/** Processes that sign in, and child-process servers, which allow no sign-in. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describe, expect, test, vi } from 'vitest';
import { browserSignIn } from '../../src/auth/client/sign-in/browser-sign-in.ts';
import { oauth } from '../../src/auth/client/sign-in/oauth.ts';
import { connect } from '../../src/connect/index.ts';
import { ask } from '../support/http-raw.ts';
import { verifies } from '../support/verifies.ts';

test('a sign-in keeps its process alive while it waits, and not before', async () => {
  const begins = start('begin');
  await once(begins, 'exit');
  expect(begins.exitCode).toBe(0);
  const waits = start('finish');
  const lines = createInterface({ input: waits.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const redirectUri = String((await lines.next()).value);
  await ask(`${redirectUri}?code=c1&state=s1`, { method: 'GET' });
  expect((await lines.next()).value).toBe(`${redirectUri}?code=c1&state=s1`);
  await once(waits, 'exit');
  expect(waits.exitCode).toBe(0);
});

describe('a server that is a process', () => {
  const pieces = { command: process.execPath, args: ['.cache/fixtures/pieces.mjs', 'serve'] };

  test('has the credentials that were put into its environment, and none that were not', async () => {
    verifies('AUTH-004');
    vi.stubEnv('SHOP_TOKEN', 'another’s');
    try {
      await using told = await connect({ ...pieces, env: { SHOP_TOKEN: 'for it' } });
      await using untold = await connect(pieces);
      expect((await told.call('whoami')).text).toBe('for it, undefined');
      expect((await untold.call('whoami')).text).toBe('nobody, undefined');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('is not signed in to', async () => {
    verifies('AUTH-004', 'EXTAUTH-1');
    const begin = vi.fn(() => browserSignIn().begin());
    // TypeScript rejects it too.
    const options: object = { auth: oauth({ signIn: { begin } }) };
    await expect(connect(pieces, options)).rejects.toThrow(
      'The option "auth": tokens and headers are for the URL of a server; give a command its credentials as "env"',
    );
    expect(begin).not.toHaveBeenCalled();
  });
});

function start(job: string): ChildProcess {
  return spawn(process.execPath, ['.cache/fixtures/pieces.mjs', job], { stdio: ['ignore', 'pipe', 'ignore'] });
}
