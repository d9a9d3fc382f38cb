/** Where the command line stores the key of its credentials: in the system's keychain, or in a file. */
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { authorizationServer, mcp } from '../support/attacked.ts';
import { folder, mooring, type Ran } from '../support/command-line.ts';
import { verifies } from '../support/verifies.ts';

interface Place extends AsyncDisposable {
  readonly home: string;
  /** The state folder of the command line. */
  readonly state: string;
  /** The content of the fake keychain. */
  readonly keychain: string;
  readonly env: Readonly<Record<string, string>>;
  log(): Promise<string>;
}

const folders: Readonly<Record<string, readonly string[]>> = {
  linux: ['.local', 'state', 'mooring'],
  darwin: ['Library', 'Application Support', 'mooring'],
};

/** A user with or without the commands of a keychain. */
async function place(platform: string, command: string | undefined): Promise<Place> {
  const { path, [Symbol.asyncDispose]: remove } = await folder();
  const [bin, log, keychain] = [join(path, 'bin'), join(path, 'log'), join(path, 'keychain')];
  await mkdir(bin);
  await writeFile(log, '');
  if (command !== undefined) {
    await copyFile('test/fixtures/keychain-command.mjs', join(bin, command));
    await chmod(join(bin, command), 0o700);
  }
  const node = join(process.execPath, '..');
  return {
    home: path,
    state: join(path, ...(folders[platform] ?? [])),
    keychain,
    env: { PATH: `${bin}:${node}`, KEYCHAIN: keychain, KEYCHAIN_LOG: log },
    log: () => readFile(log, 'utf8'),
    [Symbol.asyncDispose]: remove,
  };
}

/** Lists a server that needs a token; the user signs in when the URL is printed. */
async function listed(url: string, { home, env }: Place, platform: string): Promise<Ran & { signedIn: number }> {
  let signedIn = 0;
  const onStderr = (text: string): void => {
    const page = /https?:\S+authorize\S+/.exec(text)?.[0];
    if (page === undefined) return;
    signedIn++;
    void fetch(page).catch(() => undefined);
  };
  const ran = await mooring(['list', url], { tty: true, home, env, platform, onStderr });
  // A terminal wraps lines; these tests match whole sentences and paths.
  return { ...ran, stderr: ran.stderr.replaceAll('\n', ' '), signedIn };
}

describe.each([
  ['linux', 'secret-tool'],
  ['darwin', 'security'],
])('on %s, where there is `%s`,', (platform, command) => {
  test('the key of the credentials is in the keychain, and nothing beside the file opens it', async () => {
    verifies('EXTAUTH-34', 'EXTAUTH-37');
    // The client registers with a secret, which is stored with the tokens.
    const says = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    await using as = await authorizationServer(() => ({ says }));
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await place(platform, command);
    const url = `${server.origin}/mcp`;
    const first = await listed(url, at, platform);
    expect([first.code, first.signedIn]).toEqual([0, 1]);
    expect(first.stderr).not.toContain('credentials.key');
    expect(await readdir(at.state)).toEqual(['credentials']);
    expect(((await stat(join(at.state, 'credentials'))).mode & 0o777).toString(8)).toBe('600');
    const key = await readFile(at.keychain, 'utf8');
    expect(key).toMatch(/^[\da-f]{64}$/);
    // All users of the machine can see the arguments of a process.
    expect(await at.log()).not.toContain(key);
    const kept = await readFile(join(at.state, 'credentials'), 'utf8');
    const [client] = as.auth.clients.values();
    expect(client?.secret).toBeDefined();
    for (const secret of [key, client?.secret, ...as.secrets]) expect(kept).not.toContain(secret);
    expect(await listed(url, at, platform)).toMatchObject({ code: 0, signedIn: 0 });
  });

  test('a key file of earlier moves into the keychain', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await place(platform, command);
    const url = `${server.origin}/mcp`;
    const without = { ...at, env: { ...at.env, KEYCHAIN_BROKEN: '1' } };
    expect(await listed(url, without, platform)).toMatchObject({ code: 0, signedIn: 1 });
    const filed = await readFile(join(at.state, 'credentials.key'));
    expect(await listed(url, at, platform)).toMatchObject({ code: 0, signedIn: 0 });
    expect(await readFile(at.keychain, 'utf8')).toBe(filed.toString('hex'));
    expect(await readdir(at.state)).toEqual(['credentials']);
  });

  test('a keychain that cannot be reached any more is named, and no other key is made', async () => {
    await using as = await authorizationServer();
    await using server = await mcp(() => ({ issuers: [as.origin] }));
    await using at = await place(platform, command);
    const url = `${server.origin}/mcp`;
    await listed(url, at, platform);
    const before = await readFile(join(at.state, 'credentials'), 'utf8');
    const locked = { ...at, env: { ...at.env, KEYCHAIN_BROKEN: '1' } };
    const { code, stderr, signedIn } = await listed(url, locked, platform);
    expect([code, signedIn]).toEqual([4, 0]);
    expect(stderr).toContain('the system keychain does not return their encryption key');
    expect(await readdir(at.state)).toEqual(['credentials']);
    expect(await readFile(join(at.state, 'credentials'), 'utf8')).toBe(before);
  });
});

test('a key that others can read is not used', async () => {
  await using as = await authorizationServer();
  await using server = await mcp(() => ({ issuers: [as.origin] }));
  await using at = await place('linux', undefined);
  const url = `${server.origin}/mcp`;
  await listed(url, at, 'linux');
  const path = join(at.state, 'credentials.key');
  await chmod(path, 0o644);
  const { code, stderr, signedIn } = await listed(url, at, 'linux');
  expect([code, signedIn]).toEqual([4, 0]);
  expect(stderr).toContain('other users can access it (mode 644)');
});

test.each([
  ['linux', undefined, {}],
  ['linux', 'secret-tool', { KEYCHAIN_BROKEN: '1' }],
  ['darwin', 'security', { KEYCHAIN_BROKEN: '1' }],
])('on %s, with %s and %j, the key is in a file for its owner alone, and that is said once', async (...given) => {
  const [platform, command, broken] = given;
  await using as = await authorizationServer();
  await using server = await mcp(() => ({ issuers: [as.origin] }));
  await using plain = await place(platform, command);
  const at = { ...plain, env: { ...plain.env, ...broken } };
  const url = `${server.origin}/mcp`;
  const first = await listed(url, at, platform);
  expect([first.code, first.signedIn]).toEqual([0, 1]);
  const path = join(at.state, 'credentials.key');
  expect(first.stderr).toContain(path);
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  expect(((await stat(at.state)).mode & 0o777).toString(8)).toBe('700');
  const second = await listed(url, at, platform);
  expect(second).toMatchObject({ code: 0, signedIn: 0 });
  expect(second.stderr).not.toContain(path);
});
