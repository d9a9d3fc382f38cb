import files, { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { systemClock } from '../../peer/clock.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rules } from '../policy/rules.ts';
import type { HostedServer } from '../servers/managed-server.ts';
import { ActiveCalls } from './active-calls.ts';
import { ServerRoots } from './server-roots.ts';

/** Fakes the permissions of folders by name, because the user of the tests can have all rights. */
const modes = new Map<string, number>();

function denying(): Disposable {
  const real = files.access;
  const denied = vi.spyOn(files, 'access').mockImplementation(async (path, wanted = 0) => {
    const mode = modes.get(basename(String(path)));
    if (mode !== undefined && (mode & wanted) !== wanted) throw Object.assign(new Error('no'), { code: 'EACCES' });
    return real(path, wanted);
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      denied.mockRestore();
      syncBuiltinESMExports();
    },
  };
}

test('only folders that can be listed and entered are shown', async () => {
  verifies('ROOT-10');
  using _denying = denying();
  const at = await mkdtemp(join(tmpdir(), 'mooring-roots-'));
  const names = ['open', 'unlistable', 'unenterable', 'closed'];
  for (const name of names) await mkdir(join(at, name));
  // A program can be read and run, as a folder can.
  await writeFile(join(at, 'program'), '', { mode: 0o755 });
  names.push('program');
  modes.set('unlistable', 1).set('unenterable', 4).set('closed', 0);
  const server = { label: 'files', identity: () => ({ server: 'files' }) } as unknown as HostedServer; // the members that are read
  const gate = new GateKeeper({ policy: [rules.allow({})] });
  const roots = new ServerRoots(
    names.map((name) => join(at, name)),
    { server, gate, activeCalls: new ActiveCalls(), clock: systemClock },
  );
  try {
    expect((await roots.list()).map(({ name }) => name)).toEqual(['open']);
    modes.delete('closed');
    expect((await roots.list()).map(({ name }) => name)).toEqual(['open', 'closed']);
  } finally {
    roots.stop();
    await rm(at, { recursive: true });
  }
});
