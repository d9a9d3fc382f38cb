/** Questions of hosts that are killed: another process answers, the next host continues, and each act happens once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readAudit, verifyAudit } from '../../src/host/audit/verify-audit.ts';
import { fileInbox } from '../../src/host/consent/file-inbox.ts';
import { type Inbox, inboxConsent } from '../../src/host/consent/inbox-consent.ts';
import { eventually } from '../support/children.ts';
import { verifies } from '../support/verifies.ts';

const program = fileURLToPath(new URL('../../.cache/fixtures/inbox-host.mjs', import.meta.url));

class Place implements AsyncDisposable {
  readonly folder: string;
  readonly inbox: Inbox;
  readonly #children: ChildProcess[] = [];

  constructor(folder: string) {
    this.folder = folder;
    this.inbox = inboxConsent(fileInbox(join(folder, 'inbox')));
  }

  /** Starts a host; `ended` resolves with its output, or the signal that ended it. */
  start(jobs: number): { readonly child: ChildProcess; readonly ended: Promise<string> } {
    const child = spawn(process.execPath, [program, this.folder, String(jobs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.push(child);
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    const ended = new Promise<string>((resolve) => {
      child.on('close', (_code, signal) => resolve(signal ?? said));
    });
    return { child, ended };
  }

  /** Questions by job, once there are `count`. */
  async pending(count: number): Promise<ReadonlyMap<unknown, string>> {
    let found = new Map<unknown, string>();
    while (found.size < count) {
      const questions = await this.inbox.pending();
      found = new Map(questions.map(({ id, act }) => [act.arguments['job'], id]));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return found;
  }

  get deeds(): string[] {
    const path = join(this.folder, 'deeds');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').sort() : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await rm(this.folder, { recursive: true });
  }
}

const place = async (): Promise<Place> => new Place(await mkdtemp(join(tmpdir(), 'mooring-inbox-e2e-')));

test('a host that is killed with three open questions leaves them to the next, and each deed is done once', async () => {
  verifies('HOST-28');
  await using at = await place();
  const first = at.start(3);
  const before = await at.pending(3);
  first.child.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  // One is approved while no host runs, one while the next host waits, one is denied.
  expect(await at.inbox.answer(before.get(0) ?? '', { allow: true })).toBe(true);
  const second = at.start(3);
  await eventually('the deed that was allowed meanwhile', () => at.deeds.length === 1);
  const after = await at.pending(2);
  expect([...after.values()].every((id) => [...before.values()].includes(id))).toBe(true);
  await at.inbox.answer(after.get(1) ?? '', { allow: true });
  await at.inbox.answer(after.get(2) ?? '', { allow: false });
  expect(await second.ended).toBe('fulfilled fulfilled rejected');
  expect(at.deeds).toEqual(['0', '1']);
  expect(await readdir(join(at.folder, 'inbox'))).toEqual([]);
  expect(await verifyAudit(join(at.folder, 'audit.ndjson'))).toMatchObject({ ok: true });
});

test('hosts that are killed over and over do no deed twice, and none that is not on record', async () => {
  await using at = await place();
  const answered = new Map<string, number>();
  /** Answers one question; false if there is none. */
  const answer = async (): Promise<boolean> => {
    const questions = await at.inbox.pending();
    for (const { id, act } of questions) {
      const job = String(act.arguments['job']);
      if (await at.inbox.answer(id, { allow: true })) answered.set(job, (answered.get(job) ?? 0) + 1);
    }
    return questions.length > 0;
  };
  for (let round = 0; round < 12; round++) {
    const { child, ended } = at.start(4);
    let over = false;
    void ended.then(() => {
      over = true;
    });
    // All its questions may have been answered while no host ran.
    while (!over && !(await answer())) await new Promise((resolve) => setTimeout(resolve, 5));
    // Each host is killed a little later than the one before.
    await new Promise((resolve) => setTimeout(resolve, round * 3));
    child.kill('SIGKILL');
    await ended;
  }
  const last = at.start(4);
  let over = false;
  void last.ended.then(() => {
    over = true;
  });
  while (!over) await answer();
  expect(await last.ended).toBe('fulfilled fulfilled fulfilled fulfilled');
  const allowed = new Map<string, number>();
  for await (const { phase, act, allowed: may } of readAudit(join(at.folder, 'audit.ndjson'))) {
    const job = String(act.arguments['job']);
    if (phase === 'decided' && may) allowed.set(job, (allowed.get(job) ?? 0) + 1);
  }
  const done = new Map<string, number>();
  for (const job of at.deeds) done.set(job, (done.get(job) ?? 0) + 1);
  expect([...done.keys()].sort()).toEqual(['0', '1', '2', '3']);
  // A job that is requested again after it was done is a new act, with its own answer.
  for (const [job, times] of done) {
    expect(times).toBeLessThanOrEqual(allowed.get(job) ?? 0);
    expect(allowed.get(job)).toBeLessThanOrEqual(answered.get(job) ?? 0);
  }
  expect(await verifyAudit(join(at.folder, 'audit.ndjson'))).toMatchObject({ ok: true });
});
