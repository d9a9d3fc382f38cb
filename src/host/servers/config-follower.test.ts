import { mkdtempSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { soon } from '../../../test/support/soon.ts';
import { fromConfig } from '../config/read-config.ts';
import { createHost } from '../create-host.ts';
import type { Host, HostOptions } from '../host.ts';
import { rules } from '../policy/rules.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

type Entries = Readonly<Record<string, unknown>>;

/** A host with its own configuration file. */
class Tested implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'mooring-follow-'));
  readonly file: string = join(this.folder, 'mcp.json');
  readonly warnings: string[] = [];
  readonly changes: string[] = [];
  readonly host: Host;

  constructor(options: Partial<HostOptions> = {}) {
    folders.push(this.folder);
    const onWarning = (warning: string): void => void this.warnings.push(warning);
    this.host = createHost({ servers: {}, policy: [rules.deny({})], health: false, onWarning, ...options });
    this.host.servers.onChange(({ kind, label }) => this.changes.push(`${kind} ${label}`));
  }

  get labels(): string[] {
    return [...this.host.servers.keys()];
  }

  write(mcpServers: Entries, file: string = this.file): Promise<void> {
    return writeFile(file, JSON.stringify({ mcpServers }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
  }
}

const a = { command: 'node', args: ['a.js'] };
const b = { command: 'node', args: ['b.js'] };

describe('host.servers.follow()', () => {
  test('follow() adds the servers of a file without opening them', async () => {
    await using given = new Tested();
    await given.write({ one: a, two: { url: 'https://two.test/mcp' }, three: { ...a, disabled: true } });
    await given.host.servers.follow(given.file);
    expect(given.labels).toEqual(['one', 'two']);
    expect([...given.host.servers.values()].map(({ state }) => state)).toEqual(['idle', 'idle']);
    expect(given.warnings).toEqual([]);
  });

  test('follow() adds, replaces and removes servers as the file changes, and keeps the others', async () => {
    await using given = new Tested();
    await given.write({ stays: a, changes: a, goes: a });
    await given.host.servers.follow(given.file);
    const [stays, changes] = ['stays', 'changes'].map((label) => given.host.servers.get(label));
    given.changes.length = 0;
    // The entry moves to another line, which is not a change of the server.
    await writeFile(given.file, JSON.stringify({ mcpServers: { comes: b, changes: b, stays: a } }, null, 2));
    await soon(() => expect(given.labels.toSorted()).toEqual(['changes', 'comes', 'stays']));
    expect(given.changes.toSorted()).toEqual(['added changes', 'added comes', 'removed changes', 'removed goes']);
    expect(given.host.servers.get('stays')).toBe(stays);
    expect(given.host.servers.get('changes')).not.toBe(changes);
    expect(changes?.state).toBe('stopped');
  });

  test('follow() notices a file behind a symbolic link that is replaced by another one', async () => {
    await using given = new Tested();
    const real = join(given.folder, 'dotfiles');
    await mkdir(real);
    await given.write({ one: a }, join(real, 'mcp.json'));
    await symlink(join(real, 'mcp.json'), given.file);
    await given.host.servers.follow(given.file);
    expect(given.labels).toEqual(['one']);
    await given.write({ two: a }, join(real, 'next.json'));
    await rename(join(real, 'next.json'), join(real, 'mcp.json'));
    await soon(() => expect(given.labels).toEqual(['two']));
  });

  test('follow() changes nothing while the file has an error, and reports it', async () => {
    await using given = new Tested();
    await given.write({ one: a });
    await using followed = await given.host.servers.follow(given.file);
    for (const text of ['{ "mcpServers": { "one": ', '{ "mcpServers": { "two": {} } }', '[]']) {
      given.warnings.length = 0;
      await writeFile(given.file, text);
      await followed.reload();
      expect(given.labels).toEqual(['one']);
      expect(given.warnings.join()).toContain(given.file);
      expect(given.warnings.join()).toContain('The servers stay as they were');
    }
    await rm(given.file);
    await followed.reload();
    expect(given.labels).toEqual(['one']);
    await given.write({ two: a });
    await followed.reload();
    expect(given.labels).toEqual(['two']);
  });

  test('follow() takes over servers that createHost got from the same file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-follow-'));
    folders.push(folder);
    const file = join(folder, 'mcp.json');
    await writeFile(file, JSON.stringify({ mcpServers: { stays: a, goes: a } }));
    await using given = new Tested({ servers: await fromConfig(file) });
    const stays = given.host.servers.get('stays');
    await given.write({ stays: a }, file);
    await given.host.servers.follow(file);
    expect(given.labels).toEqual(['stays']);
    expect(given.host.servers.get('stays')).toBe(stays);
  });

  test('follow() does not replace a server that another source defined', async () => {
    await using given = new Tested({ servers: { shop: { command: 'node', args: ['shop.js'] } } });
    const shop = given.host.servers.get('shop');
    await given.write({ shop: a });
    await using followed = await given.host.servers.follow(given.file);
    expect(given.warnings).toEqual([
      `The server "shop" of ${given.file} was not added: another server of this host has this label`,
    ]);
    await given.write({});
    await followed.reload();
    expect(given.host.servers.get('shop')).toBe(shop);
  });

  test('follow() keeps a server removed or disabled that the application removed or disabled', async () => {
    await using given = new Tested();
    await given.write({ removed: a, disabled: a, changed: a });
    await using followed = await given.host.servers.follow(given.file);
    await given.host.servers.remove('removed');
    await given.host.servers.disable('disabled');
    await given.host.servers.disable('changed');
    await given.write({ removed: a, disabled: a, changed: b });
    await followed.reload();
    expect([...given.host.servers].map(([label, { state }]) => `${label} ${state}`)).toEqual([
      'disabled disabled',
      'changed disabled',
    ]);
  });

  test('follow() polls a file whose folder cannot be watched', async () => {
    const clock = new HeldClock();
    await using given = new Tested({ clock });
    const file = join(given.folder, 'later', 'mcp.json');
    await given.host.servers.follow(file);
    expect(given.warnings.join()).toContain('the file does not exist');
    await mkdir(join(given.folder, 'later'));
    await given.write({ one: a }, file);
    await soon(async () => {
      await clock.pass(5_000);
      expect(given.labels).toEqual(['one']);
    });
  });

  test('follow() waits until an editor has finished writing', async () => {
    const clock = new HeldClock();
    await using given = new Tested({ clock });
    await given.write({ one: a });
    await given.host.servers.follow(given.file);
    // The first wait is for changes since the file was read.
    await given.write({ two: a });
    await soon(() => expect(clock.waits.filter((ms) => ms === 100).length).toBeGreaterThan(1));
    expect(given.labels).toEqual(['one']);
    await soon(async () => {
      await clock.pass(100);
      expect(given.labels).toEqual(['two']);
    });
  });

  test('follow() ends with close(), and with the host', async () => {
    await using given = new Tested();
    await given.write({ one: a });
    const followed = await given.host.servers.follow(given.file);
    await followed.close();
    await given.write({ two: a });
    await followed.reload();
    expect(given.labels).toEqual(['one']);
    const again = await given.host.servers.follow(given.file);
    expect(given.labels).toEqual(['two']);
    await given.host.close();
    await given.write({ three: a });
    await again.reload();
    expect(given.labels).toEqual(['two']);
    await expect(given.host.servers.follow(given.file)).rejects.toThrow('the host was closed');
  });
});
