import { mkdtempSync } from 'node:fs';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HeldClock } from '../../test/support/held-clock.ts';
import { soon } from '../../test/support/soon.ts';
import { FileWatch } from './file-watch.ts';

/** A watch of `a/file` in a new folder, with its reported changes. */
class WatchedFile implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'mooring-watch-'));
  readonly file: string = join(this.folder, 'a', 'file');
  readonly clock: HeldClock = new HeldClock();
  readonly watch: FileWatch = new FileWatch(() => [this.file], this.clock);
  reports = 0;

  async start(): Promise<void> {
    await this.watch.open();
    this.watch.start(() => void this.reports++);
  }

  /** Advances the clock until this many changes are reported. */
  async reported(count: number, ms: number): Promise<void> {
    await soon(async () => {
      await this.clock.pass(ms);
      expect(this.reports).toBe(count);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.watch.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

test('a change between open and start is reported', async () => {
  await using given = new WatchedFile();
  await mkdir(join(given.folder, 'a'));
  await writeFile(given.file, 'one');
  await given.watch.open();
  await writeFile(given.file, 'two');
  given.watch.start(() => void given.reports++);
  await given.reported(1, 100);
});

test('changes are debounced, and the removal of a file is reported', async () => {
  await using given = new WatchedFile();
  await mkdir(join(given.folder, 'a'));
  await writeFile(given.file, 'one');
  await given.start();
  await given.clock.pass(99);
  await writeFile(given.file, 'two');
  // The first wait is for changes between open and start.
  await soon(() => expect(given.clock.waits.filter((ms) => ms === 100).length).toBeGreaterThan(1));
  await given.clock.pass(99);
  expect(given.reports).toBe(0);
  await given.reported(1, 1);
  await rm(given.file);
  await given.reported(2, 100);
});

test('writing the same content is not reported', async () => {
  await using given = new WatchedFile();
  await mkdir(join(given.folder, 'a'));
  await writeFile(given.file, 'one');
  await given.start();
  await writeFile(given.file, 'one');
  await utimes(given.file, 1, 1);
  await soon(() => expect(given.clock.waits).toContain(100));
  await given.clock.pass(100);
  await writeFile(given.file, 'two');
  await given.reported(1, 100);
});

test('polling detects a folder that is created later, and a changed link to a folder', async () => {
  await using given = new WatchedFile();
  await given.start();
  await mkdir(join(given.folder, 'one'));
  await writeFile(join(given.folder, 'one', 'file'), 'one');
  await symlink('one', join(given.folder, 'a'));
  await given.reported(1, 5_100);
  await mkdir(join(given.folder, 'two'));
  await writeFile(join(given.folder, 'two', 'file'), 'two');
  await symlink('two', join(given.folder, 'b'));
  await rename(join(given.folder, 'b'), join(given.folder, 'a'));
  await given.reported(2, 5_100);
});

test('a closed watch reports nothing', async () => {
  await using given = new WatchedFile();
  await mkdir(join(given.folder, 'a'));
  await writeFile(given.file, 'one');
  await given.start();
  given.watch.close();
  await writeFile(given.file, 'two');
  await given.clock.pass(60_000);
  expect(given.reports).toBe(0);
});
