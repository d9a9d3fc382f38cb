import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { eventually } from '../../../test/support/children.ts';
import { soon } from '../../../test/support/soon.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { Act } from '../act/act.ts';
import type { Rule } from '../act/rule.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import type { ConsentAnswer } from './consent.ts';
import { fileInbox } from './file-inbox.ts';
import { type Inbox, type InboxQuestion, inboxConsent } from './inbox-consent.ts';

interface Place extends AsyncDisposable {
  readonly path: string;
  /** Simulates a separate process that uses the same inbox. */
  inbox(clock?: Clock): Inbox;
}

async function place(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-inbox-'));
  const path = join(folder, 'inbox');
  return {
    path,
    inbox: (clock = systemClock) => inboxConsent(fileInbox(path), { lookMs: 5, clock }),
    // A cancelled act may still be cleaning up.
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, maxRetries: 20, retryDelay: 10 }),
  };
}

/** A gate with this inbox, and the arguments of the acts that ran. */
function host(inbox: Inbox, policy: readonly Rule[] = []) {
  const done: string[] = [];
  const gate = new GateKeeper({ policy, consent: inbox });
  const pass = (facts: Partial<Act> = {}, signal?: AbortSignal): Promise<unknown> =>
    gate.pass(act(facts), async (permit) => done.push(JSON.stringify(permit.arguments)), { signal, editable: true });
  return { gate, pass, done };
}

/** Waits until `count` questions are open, and returns their ids. */
async function asked(inbox: Inbox, count = 1): Promise<readonly string[]> {
  let ids: readonly string[] = [];
  let looking: Promise<void> = Promise.resolve();
  await eventually(`${count} questions`, () => {
    // Reads one at a time, so that no read is pending when the folder is removed.
    looking = looking.then(async () => {
      if (ids.length !== count) ids = (await inbox.pending()).map(({ id }) => id);
    });
    return ids.length === count;
  });
  await looking;
  return ids;
}

describe('a question in an inbox', () => {
  test('is answered by another process, and the act goes on', async () => {
    await using at = await place();
    const { pass, done } = host(at.inbox());
    const passing = pass({ arguments: { path: 'a', text: 'x'.repeat(5_000) } });
    const other = at.inbox();
    const [id = ''] = await asked(other);
    expect(await other.pending()).toMatchObject([
      { id, act: { server: 'files', arguments: { text: 'x'.repeat(5_000) } }, why: 'no rule matches', editable: true },
    ]);
    expect(await other.answer(id, { allow: true })).toBe(true);
    await passing;
    expect(done).toHaveLength(1);
    expect(await readdir(at.path)).toEqual([]);
  });

  test('is answered once', async () => {
    await using at = await place();
    const { pass } = host(at.inbox());
    const passing = pass().catch((error: unknown) => error);
    const other = at.inbox();
    const [id = ''] = await asked(other);
    const answers = [{ allow: false }, { allow: true }, { allow: true }].map((answer) => other.answer(id, answer));
    expect((await Promise.all(answers)).filter((counted) => counted)).toHaveLength(1);
    await passing;
    expect(await other.answer(id, { allow: true })).toBe(false);
    expect(await other.pending()).toEqual([]);
    expect(await other.answer('../../etc/passwd', { allow: true })).toBe(false);
  });

  test('is not answered by an answer to the same act for another reason', async () => {
    await using at = await place();
    const first = host(at.inbox());
    const passing = first.pass().catch((error: unknown) => error);
    const other = at.inbox();
    const [id = ''] = await asked(other);
    await first.gate.close();
    await passing;
    expect(await other.answer(id, { allow: true })).toBe(true);
    const rule: Rule = { text: 'noFlow', decide: () => ({ verdict: 'ask', why: 'it carries text of mail' }) };
    const next = host(at.inbox(), [rule]);
    const again = next.pass();
    const [second = ''] = await asked(other);
    expect(await other.pending()).toMatchObject([{ id: second, why: 'it carries text of mail' }]);
    expect(next.done).toEqual([]);
    await other.answer(second, { allow: true });
    await again;
    expect(next.done).toHaveLength(1);
  });

  test('is answered for its own act, whichever binding the answer names', async () => {
    await using at = await place();
    const { pass, done } = host(at.inbox());
    const passing = pass();
    const [id = ''] = await asked(at.inbox());
    expect(await at.inbox().answer(id, { allow: true, binding: 'of another act' } as ConsentAnswer)).toBe(true);
    await passing;
    expect(done).toHaveLength(1);
  });

  test('is separate for each act of a process, even for equal acts', async () => {
    await using at = await place();
    const { pass, done } = host(at.inbox());
    const other = at.inbox();
    const before = pass();
    await asked(other);
    const both = [before, pass()];
    const [first = '', second = ''] = await asked(other, 2);
    await other.answer(first, { allow: true });
    await Promise.race(both);
    expect(done).toHaveLength(1);
    await other.answer(second, { allow: false });
    expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(done).toHaveLength(1);
  });

  test('is answered for one of two processes; the other asks again', async () => {
    await using at = await place();
    const [one, two] = [host(at.inbox()), host(at.inbox())];
    const first = one.pass();
    const other = at.inbox();
    const [id = ''] = await asked(other);
    const second = two.pass();
    await other.answer(id, { allow: true });
    await Promise.race([first, second]);
    expect([...one.done, ...two.done]).toHaveLength(1);
    const [again = ''] = await asked(other);
    await other.answer(again, { allow: true });
    await Promise.all([first, second]);
    expect([one.done.length, two.done.length]).toEqual([1, 1]);
  });

  test.each<[string, Partial<Act>]>([
    ['other arguments', { arguments: { path: 'other' } }],
    ['another principal', { principal: 'bob' }],
    ['a changed definition', { definition: 'd2' }],
  ])('is separate for %s', async (_what, facts) => {
    await using at = await place();
    const abort = new AbortController();
    const one = Promise.allSettled([host(at.inbox()).pass({}, abort.signal)]);
    await asked(at.inbox());
    const other = Promise.allSettled([host(at.inbox()).pass(facts, abort.signal)]);
    const shown = new Set(await asked(at.inbox(), 2));
    abort.abort();
    await Promise.all([one, other]);
    expect(shown.size).toBe(2);
  });

  test('is reused by the next host, also with its answer', async () => {
    await using at = await place();
    const first = host(at.inbox());
    const lost = first.pass().catch(() => undefined);
    const other = at.inbox();
    const [id = ''] = await asked(other);
    await first.gate.close();
    await lost;
    expect((await other.pending()).map((one) => one.id)).toEqual([id]);
    await other.answer(id, { allow: true, arguments: { path: 'b' } });
    const second = host(at.inbox());
    await second.pass();
    expect([first.done, second.done]).toEqual([[], ['{"path":"b"}']]);
  });

  test('is reused by the next host with the same inbox', async () => {
    await using at = await place();
    const inbox = at.inbox();
    const first = host(inbox);
    const lost = first.pass().catch(() => undefined);
    const [id = ''] = await asked(inbox);
    await first.gate.close();
    await lost;
    await inbox.answer(id, { allow: true });
    const second = host(inbox);
    await second.pass();
    expect([first.done.length, second.done.length]).toEqual([0, 1]);
  });

  test('does not make lists wait, and has the key of its store', async () => {
    await using at = await place();
    const inbox = at.inbox();
    expect(host(inbox).gate.attended).toBe(false);
    expect(await inbox.key?.()).toEqual(await fileInbox(at.path).key?.());
  });

  test('is reused after its store failed', async () => {
    await using at = await place();
    const store = fileInbox(at.path);
    let fails = true;
    const inbox = inboxConsent(
      { ...store, take: async (id) => (fails ? Promise.reject(new Error('no disk')) : store.take(id)) },
      { lookMs: 5 },
    );
    const { pass } = host(inbox);
    await expect(pass()).rejects.toMatchObject({ details: { why: 'the user could not be asked' } });
    const [id = ''] = await asked(inbox);
    fails = false;
    const again = pass();
    await inbox.answer(id, { allow: true });
    await again;
    expect(await inbox.pending()).toEqual([]);
  });

  test('is not listed any more from the moment it expires', async () => {
    await using at = await place();
    let now = 1_000;
    const clock: Clock = { ...systemClock, wall: () => now };
    const { gate, pass } = host(at.inbox(clock));
    const lost = pass().catch(() => undefined);
    const other = at.inbox(clock);
    await asked(other);
    await gate.close();
    await lost;
    now += 86_400_000 - 1;
    expect(await other.pending()).toHaveLength(1);
    now += 1;
    expect(await other.pending()).toEqual([]);
    expect(await readdir(at.path)).toEqual([]);
  });

  test('is not reused by another principal, also with its answer', async () => {
    await using at = await place();
    const first = host(at.inbox());
    const lost = first.pass({ principal: 'alice' }).catch(() => undefined);
    const other = at.inbox();
    const [id = ''] = await asked(other);
    await first.gate.close();
    await lost;
    await other.answer(id, { allow: true });
    const second = host(at.inbox());
    const passing = second.pass({ principal: 'bob' }).catch((error: unknown) => error);
    const [own = ''] = await asked(other);
    expect(second.done).toEqual([]);
    await other.answer(own, { allow: false });
    expect(await passing).toMatchObject({ code: 'MCP_DENIED' });
  });

  test('is listed by the time it was asked, oldest first', async () => {
    await using at = await place();
    let now = 5_000;
    const clock: Clock = { ...systemClock, wall: () => now };
    const abort = new AbortController();
    const { pass } = host(at.inbox(clock));
    const passing: Promise<unknown>[] = [];
    const order = ['c', 'a', 'e', 'b', 'd'];
    for (const [n, path] of order.entries()) {
      now += 1;
      passing.push(pass({ arguments: { path } }, abort.signal).catch(() => undefined));
      await asked(at.inbox(clock), n + 1);
    }
    const listed = (await at.inbox(clock).pending()).map((one) => one.act.arguments['path']);
    abort.abort();
    await Promise.all(passing);
    expect(listed).toEqual(order);
  });

  test('is removed when its act is cancelled', async () => {
    await using at = await place();
    const abort = new AbortController();
    const { pass } = host(at.inbox());
    const passing = pass({}, abort.signal);
    const other = at.inbox();
    const [id = ''] = await asked(other);
    abort.abort();
    await expect(passing).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    let left = ['?'];
    await eventually('nothing is left', () => {
      void readdir(at.path).then((files) => {
        left = files;
      });
      return left.length === 0;
    });
    expect(await other.answer(id, { allow: true })).toBe(false);
  });

  test('expires after a day, and an answer to it is too late', async () => {
    await using at = await place();
    let now = 1_000;
    const clock: Clock = { ...systemClock, wall: () => now };
    const { pass, done } = host(at.inbox(clock));
    const passing = pass().catch((error: unknown) => error);
    const other = at.inbox(clock);
    const [id = ''] = await asked(other);
    expect((await other.pending())[0]?.expiresAt).toBe(now + 86_400_000);
    now += 86_400_000;
    expect(await other.answer(id, { allow: true })).toBe(false);
    expect(await passing).toMatchObject({ code: 'MCP_DENIED' });
    expect(done).toEqual([]);
    expect(await readdir(at.path)).toEqual([]);
  });

  test('is not listed if its file was tampered with', async () => {
    await using at = await place();
    const abort = new AbortController();
    const { pass } = host(at.inbox());
    const passing = pass({ arguments: { path: '/etc/passwd' } }, abort.signal).catch(() => undefined);
    await asked(at.inbox());
    const [file = ''] = await readdir(at.path);
    const path = join(at.path, file);
    expect([(await stat(at.path)).mode & 0o777, (await stat(path)).mode & 0o777]).toEqual([0o700, 0o600]);
    await writeFile(path, (await readFile(path, 'utf8')).replace('/etc/passwd', 'notes.txt'));
    await writeFile(join(at.path, 'broken.question.json'), '{"id":');
    await writeFile(join(at.path, 'odd.question.json'), '{"id":"odd"}');
    const shown = (await at.inbox().pending()).map((one) => one.act.arguments['path']);
    expect(shown).not.toContain('notes.txt');
    abort.abort();
    await passing;
  });

  test('with a damaged answer counts as declined', async () => {
    await using at = await place();
    const { pass, done } = host(at.inbox());
    const passing = pass().catch((error: unknown) => error);
    const [id = ''] = await asked(at.inbox());
    await writeFile(join(at.path, 'x.draft.json'), '{"allow":tr');
    await rename(join(at.path, `${id}.question.json`), join(at.path, `${id}_x.answered.json`));
    expect(await passing).toMatchObject({ code: 'MCP_DENIED' });
    expect(done).toEqual([]);
  });
});

test('the store is read as often for a hundred waiting acts as for one', async () => {
  const time = virtualClock();
  let timers = 0;
  const after: Clock['after'] = (...timer) => {
    timers++;
    return time.after(...timer);
  };
  const questions = new Map<string, InboxQuestion>();
  const answers = new Map<string, ConsentAnswer>();
  let reads = 0;
  let takes = 0;
  const inbox = inboxConsent(
    {
      put: async (question) => void questions.set(question.id, question),
      questions: async () => {
        reads++;
        return [...questions.values()].map((one) => ({ ...one, answered: answers.has(one.id) }));
      },
      answer: async (id, answer) => answers.set(id, answer).size > 0,
      take: async (id) => {
        takes++;
        if (answers.has(id)) questions.delete(id);
        return answers.get(id);
      },
      remove: async (id) => void questions.delete(id),
    },
    { clock: { ...time, after }, lookMs: 250 },
  );
  const { pass, done } = host(inbox);
  const passing = Array.from({ length: 100 }, (_, at) => pass({ arguments: { path: `file ${at}` } }));
  await soon(() => expect(questions.size).toBe(100));
  const before = reads;
  for (let looks = 1; looks <= 10; looks++) {
    await soon(() => expect(timers).toBe(looks));
    await time.advance(250);
    await soon(() => expect(reads).toBe(before + looks));
  }
  expect(takes).toBe(100);
  for (const { id } of await inbox.pending()) await inbox.answer(id, { allow: true });
  await soon(() => expect(timers).toBe(11));
  await time.advance(250);
  await Promise.all(passing);
  expect([done.length, takes, questions.size]).toEqual([100, 200, 0]);
});

test('a question that is used again is stored once, and the store is read four times a second', async () => {
  const clock = virtualClock();
  const questions = new Map<string, InboxQuestion>();
  let [puts, reads] = [0, 0];
  const inbox = inboxConsent(
    {
      put: async (question) => {
        puts++;
        questions.set(question.id, question);
      },
      questions: async () => {
        reads++;
        return [...questions.values()].map((one) => ({ ...one, answered: false }));
      },
      answer: async () => false,
      take: async () => undefined,
      remove: async (id) => void questions.delete(id),
    },
    { clock },
  );
  const first = host(inbox);
  const lost = first.pass().catch(() => undefined);
  await soon(() => expect(puts).toBe(1));
  await first.gate.close();
  await lost;
  const control = new AbortController();
  const waiting = host(inbox)
    .pass({}, control.signal)
    .catch(() => undefined);
  await soon(() => expect(reads).toBeGreaterThan(1));
  await nextTurn();
  const before = reads;
  await clock.advance(249);
  expect([puts, reads]).toEqual([1, before]);
  await clock.advance(1);
  await soon(() => expect(reads).toBe(before + 1));
  control.abort();
  await waiting;
});
