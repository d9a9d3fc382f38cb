import { expect, test } from 'vitest';
import * as z from 'zod';
import { createServer, tool } from '../index.ts';
import { revisions } from '../revisions/index.ts';
import { everyRevision } from './every-revision.ts';

const server = createServer({
  name: 'echo',
  version: '1.0.0',
  parts: [tool({ name: 'echo', run: (_, { caller }) => caller.info?.name ?? 'unknown' })],
});

test('everyRevision() connects once per revision, newest first', async () => {
  const spoken: string[] = [];
  await everyRevision(
    server,
    async (client, revision) => {
      expect(client.server.revision).toBe(revision);
      expect((await client.call('echo')).text).toBe('tester');
      spoken.push(revision);
    },
    { name: 'tester' },
  );
  expect(spoken).toEqual(revisions.map(({ id }) => id));
});

test('everyRevision() names the revision that failed, with the failure as cause', async () => {
  const failure = new Error('no such thing');
  const run = everyRevision(server, (_, revision) => {
    if (revision < '2025-06-18') throw failure;
  });
  await expect(run).rejects.toMatchObject({ message: 'In revision 2025-03-26: no such thing', cause: failure });
});

test('everyRevision() says what to do if a tool asks in a revision without the question', async () => {
  const ask = tool({ name: 'ask', run: async (_, ctx) => String(await ctx.confirm('sure', 'Sure?')) });
  const asking = createServer({ name: 'asking', version: '1.0.0', parts: [ask] });
  const run = everyRevision(asking, async (client) => expect((await client.call('ask')).text).toBe('true'), {
    elicit: () => ({ action: 'accept', content: { confirm: true } }),
  });
  await expect(run).rejects.toThrow(
    /^In revision 2025-03-26: .* lacks it\. Name the revisions that have this question in the option "revisions"$/,
  );
});

test('everyRevision() says what to do if a test reads the data of a result where results have none', async () => {
  const sum = tool({ name: 'sum', output: z.object({ n: z.number() }), run: () => ({ n: 3 }) });
  const sums = createServer({ name: 'sums', version: '1.0.0', parts: [sum] });
  const run = everyRevision(sums, async (client) => expect((await client.call('sum')).data.n).toBe(3));
  await expect(run).rejects.toThrow(
    /^In revision 2025-03-26: Cannot read.*\. Results have no data in this revision: compare their text, or name other revisions in the option "revisions"$/,
  );
});

test('everyRevision() closes the client, whatever the body does', async () => {
  const clients: { readonly state: string }[] = [];
  const run = everyRevision(server, (client) => {
    clients.push(client);
    throw new Error('stop');
  });
  await expect(run).rejects.toThrow('stop');
  expect(clients.map(({ state }) => state)).toEqual(['closed']);
});
