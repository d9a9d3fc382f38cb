/** Hot reload with a real server and a real client, through both ends of the IPC between them. */
import { expect, test } from 'vitest';
import { everyRevision } from '../../../test/support/raw.ts';
import { connect } from '../../connect/index.ts';
import { createServer, type Part, type Server, tool } from '../../index.ts';
import type { Change } from '../../model/change.ts';
import { detachedLink } from '../../peer/call-link.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { changesBetween, changeText, listChanges } from './changes.ts';
import { ReloadableServer } from './reloadable-server.ts';
import { ServedVersion } from './served-version.ts';
import { Version } from './version.ts';
import { offerOfServer } from './version-command.ts';

/** Like a pipe between processes: JSON only, and asynchronous. */
async function versionOf(server: Server): Promise<Version> {
  const piped = <T>(receive: (message: T) => void): ((message: T) => void) => {
    return (message) => {
      const text = JSON.stringify(message);
      setTimeout(() => receive(JSON.parse(text) as T), 0);
    };
  };
  const version: Version = new Version(
    (await offerOfServer(server)).offer,
    piped((message) => served.receive(message)),
  );
  const served = new ServedVersion(
    server,
    piped((message) => version.receive(message)),
  );
  return version;
}

/** A promise and the function that resolves it. */
function signalled(): { readonly happened: Promise<void>; readonly happen: () => void } {
  let happen = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen: () => happen() };
}

const serverOf = (...parts: readonly Part[]): Server => createServer({ name: 'dock', version: '1', parts });
const says = (name: string, text: string): Part => tool({ name, description: name, run: () => text });

test.each(everyRevision)('a client stays while the code behind it changes, in %s', async (revision) => {
  const [one, two] = [
    await versionOf(serverOf(says('a', 'one'))),
    await versionOf(serverOf(says('a', 'two'), says('b', 'b'))),
  ];
  const reloadable = new ReloadableServer(() => undefined);
  reloadable.swap(one, []);
  await using client = await connect(reloadable, { revisions: [revision] });
  expect((await client.call('a')).text).toBe('one');
  const news: Change[] = [];
  const watch = client.watch({ tools: true });
  void (async () => {
    for await (const piece of watch) news.push(piece);
  })();
  expect(await watch.granted).toEqual({ toolsListChanged: true });
  reloadable.swap(two, listChanges(changesBetween(one.offer, two.offer)));
  expect((await client.call('a')).text).toBe('two');
  expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(news).toEqual([{ kind: 'tools' }]);
});

test('notifications of the new version arrive on streams that were opened with the old one', async () => {
  for (const revision of everyRevision) {
    const [before, after] = [serverOf(says('a', 'one')), serverOf(says('a', 'two'))];
    const reloadable = new ReloadableServer(() => undefined);
    reloadable.swap(await versionOf(before), []);
    await using client = await connect(reloadable, { revisions: [revision] });
    const watch = client.watch({ tools: true });
    await watch.granted;
    reloadable.swap(await versionOf(after), []);
    await client.call('a');
    after.add(says('b', 'b'));
    expect(await watch.nextChange()).toEqual({ kind: 'tools' });
  }
});

test('a running call finishes on the old version, which is drained after it', async () => {
  const [begun, allowed] = [signalled(), signalled()];
  const slow = tool({
    name: 'slow',
    run: async () => {
      begun.happen();
      await allowed.happened;
      return 'old';
    },
  });
  const one = await versionOf(serverOf(slow));
  const reloadable = new ReloadableServer(() => undefined);
  reloadable.swap(one, []);
  await using client = await connect(reloadable);
  const called = client.call('slow');
  await begun.happened;
  reloadable.swap(await versionOf(serverOf(says('slow', 'new'))), []);
  let drained = false;
  const draining = one.drained().then(() => {
    drained = true;
  });
  expect((await client.call('slow')).text).toBe('new');
  expect(drained).toBe(false);
  allowed.happen();
  expect((await called).text).toBe('old');
  await draining;
});

test.each(everyRevision.filter((id) => id >= '2025-06-18'))(
  'a tool of a reloadable server can ask the user, in %s',
  async (revision) => {
    const sure = tool({ name: 'sure', run: async (_input, ctx) => String(await ctx.confirm('sure', 'Sure?')) });
    const reloadable = new ReloadableServer(() => undefined);
    reloadable.swap(await versionOf(serverOf(sure)), []);
    const elicit = () => ({ action: 'accept', content: { confirm: true } }) as const;
    await using client = await connect(reloadable, { revisions: [revision], elicit });
    expect((await client.call('sure')).text).toBe('true');
  },
);

test('a call that its client cancels is cancelled in the version, and does not delay draining', async () => {
  const [begun, cancelled] = [signalled(), signalled()];
  const deaf = tool({
    name: 'deaf',
    run: (_input, ctx) => {
      ctx.signal.addEventListener('abort', cancelled.happen);
      begun.happen();
      return new Promise<string>(() => undefined);
    },
  });
  const one = await versionOf(serverOf(deaf));
  const reloadable = new ReloadableServer(() => undefined);
  reloadable.swap(one, []);
  await using client = await connect(reloadable);
  const over = new AbortController();
  const called = client.call('deaf', {}, { signal: over.signal });
  await begun.happened;
  over.abort();
  await expect(called).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  await Promise.all([one.drained(), cancelled.happened]);
});

test('a message without a running version waits for one, and triggers its start', async () => {
  let asked = 0;
  const reloadable = new ReloadableServer(() => asked++);
  const connecting = connect(reloadable);
  await nextTurn();
  expect(asked).toBeGreaterThan(0);
  reloadable.swap(await versionOf(serverOf(says('a', 'one'))), []);
  await using client = await connecting;
  expect((await client.call('a')).text).toBe('one');
});

test('a version whose process exits fails its running calls, and the next version serves new ones', async () => {
  const begun = signalled();
  const hangs = tool({
    name: 'hangs',
    run: () => {
      begun.happen();
      return new Promise<string>(() => undefined);
    },
  });
  const one = await versionOf(serverOf(hangs));
  const reloadable = new ReloadableServer(() => undefined);
  reloadable.swap(one, []);
  await using client = await connect(reloadable);
  const called = client.call('hangs');
  await begun.happened;
  one.fail(new Error('it is gone'));
  reloadable.drop(one);
  await expect(called).rejects.toMatchObject({ code: -32603 });
  reloadable.swap(await versionOf(serverOf(says('hangs', 'no longer'))), []);
  expect((await client.call('hangs')).text).toBe('no longer');
});

test('a call that its client cancels while it waits for a version is not run by the next one', async () => {
  const ran: string[] = [];
  const refund = tool({ name: 'refund', run: () => `${ran.push('refund')}` });
  const reloadable = new ReloadableServer(() => undefined);
  const one = await versionOf(serverOf(refund));
  reloadable.swap(one, []);
  await using client = await connect(reloadable);
  reloadable.drop(one);
  const over = new AbortController();
  const called = client.call('refund', {}, { signal: over.signal });
  await nextTurn();
  over.abort();
  await expect(called).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  reloadable.swap(await versionOf(serverOf(refund, says('a', 'two'))), []);
  expect((await client.call('a')).text).toBe('two');
  expect(ran).toEqual([]);
});

test('a notification of a client that left while it waited for a version does not delay draining', async () => {
  const reloadable = new ReloadableServer(() => undefined);
  const push = { notify: () => undefined, ask: () => new Promise<never>(() => undefined), end: () => undefined };
  const served = reloadable.open(push, {});
  const waiting = served.exchange({ jsonrpc: '2.0', method: 'notifications/initialized' }, detachedLink);
  served.close();
  const one = await versionOf(serverOf());
  reloadable.swap(one, []);
  expect(await waiting).toBe(undefined);
  await one.drained();
});

test('changesBetween() names the added, removed and changed tools', async () => {
  const { offer: before } = await offerOfServer(serverOf(says('a', ''), says('b', ''), says('c', '')));
  const other = tool({ name: 'b', description: 'another', run: () => '' });
  const { offer: after } = await offerOfServer(serverOf(says('a', ''), other, says('d', '')));
  expect(changesBetween(before, after).map(changeText)).toEqual(['tools +d −c ~b']);
  expect(changesBetween(before, before)).toEqual([]);
});
