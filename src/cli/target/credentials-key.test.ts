/** The key of the credentials where there is no keychain. */
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { systemClock } from '../../peer/clock.ts';
import type { CommandContext } from '../command.ts';
import { credentialsKey } from './credentials-key.ts';

const { signal } = new AbortController();
const shell = { platform: 'freebsd', env: {}, signal, clock: systemClock };
const by = { shell, print: { note: () => undefined } } as unknown as CommandContext; // the members that are used

test('the key is created once, in a file that only its owner can read, and read again', async () => {
  await using at = await folder();
  const [state, credentials] = [join(at.path, 'state'), join(at.path, 'state', 'credentials')];
  const key = await credentialsKey(credentials, state, by);
  expect(key).toHaveLength(32);
  expect(await credentialsKey(credentials, state, by)).toEqual(key);
  expect((await stat(join(state, 'credentials.key'))).mode & 0o777).toBe(0o600);
});

test.each([0, 31])('a key file of %i bytes is rejected, and nothing is encrypted with it', async (length) => {
  await using at = await folder();
  const [state, credentials] = [join(at.path, 'state'), join(at.path, 'state', 'credentials')];
  await credentialsKey(credentials, state, by);
  await truncate(join(state, 'credentials.key'), length);
  await expect(credentialsKey(credentials, state, by)).rejects.toMatchObject({
    code: 'MCP_AUTH_STORE',
    message: expect.stringContaining(
      `credentials.key cannot be used: it has ${length} bytes, and a key has 32. Move it`,
    ),
  });
});
