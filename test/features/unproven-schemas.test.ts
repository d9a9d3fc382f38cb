/** A plain JSON Schema whose checks could take too long fails at startup on every transport. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../../src/connect/index.ts';
import { createServer, httpHandler, prompt, type Server, tool } from '../../src/index.ts';
import { fakeUser } from '../../src/testing/index.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { serveStdio } from '../../src/transport/stdio.ts';
import { everyRevision } from '../support/raw.ts';
import { reach } from '../support/source.ts';

const slow = { type: 'object', properties: { p: { type: 'string', pattern: '^(a+)+$' } } };
const why =
  'The schema of the input of tool "slow" cannot be used: at #/properties/p: the pattern "^(a+)+$" can take too long';
const quick = tool({ name: 'quick', input: z.object({}), run: () => 'ok' });
const bad = (ran: () => void = () => undefined): ReturnType<typeof tool> =>
  tool({
    name: 'slow',
    input: slow,
    run: () => {
      ran();
      return 'ran';
    },
  });
const serverWith = (...parts: ReturnType<typeof tool>[]): Server =>
  createServer({ name: 'quay', version: '1', parts, onError: () => undefined });

describe('a server with a JSON Schema that could take too long', () => {
  test('is not connected to in the same process', async () => {
    await expect(connect(serverWith(quick, bad()))).rejects.toThrow(why);
  });

  test('is not served over stdio', async () => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(serveStdio(serverWith(quick, bad()), streams)).rejects.toThrow(why);
    expect(streams.output.writableEnded).toBe(true);
  });

  test('does not listen over HTTP', async () => {
    await expect(serveHttp(serverWith(quick, bad()), { port: 0 })).rejects.toThrow(why);
  });

  test('answers no web request', async () => {
    const answer = httpHandler(serverWith(quick, bad()));
    await expect(answer(new Request('http://127.0.0.1/mcp'))).rejects.toThrow(why);
  });

  test('says so in the output of a tool and in the arguments of a prompt too', async () => {
    const output = tool({ name: 'slow', output: slow, run: () => ({}) });
    await expect(connect(serverWith(output))).rejects.toThrow('The schema of the output of tool "slow" cannot be used');
    const greet = prompt({ name: 'greet', args: slow, render: () => 'hi' });
    const server = createServer({ name: 'quay', version: '1', parts: [greet] });
    await expect(server.prepare()).rejects.toThrow('The schema of the arguments of prompt "greet" cannot be used');
  });

  test('can be asked before its handler is mounted', async () => {
    const server = serverWith(bad());
    await nodeHandler(server).close();
    await expect(server.prepare()).rejects.toThrow(why);
  });
});

test('a server without a plain JSON Schema has nothing to prepare, and does not load what proves one', () => {
  expect(serverWith(quick).prepare()).toBeUndefined();
  const prover = /schema\/(cost|linear|pattern|weigh|emit|own-)|validators/;
  expect(reach('src/schema/check.ts').files.filter((file) => prover.test(file))).toEqual([]);
});

test.each(everyRevision)('a tool that is added later runs no unproven schema, in %s', async (revision) => {
  const reported: unknown[] = [];
  let runs = 0;
  const server: Server = createServer({
    name: 'quay',
    version: '1',
    parts: [quick],
    onError: (error) => void reported.push(error),
  });
  await using client = await connect(server, { revisions: [revision] });
  server.add(bad(() => runs++));
  await expect(client.call('slow', { p: 'aaaa' })).rejects.toThrow('Internal error');
  expect([runs, String(reported[0])]).toEqual([0, expect.stringContaining(why)]);
  expect(reported).toHaveLength(1);
});

test('a form that could take too long is not shown to the user', async () => {
  let asked = 0;
  const ask = tool({
    name: 'ask',
    run: async (_, ctx) => {
      await ctx.ask('name', 'Name?', slow);
      return 'asked';
    },
  });
  const user = fakeUser().answer('Name?', { p: 'a' });
  const elicit = {
    form: (...given: Parameters<typeof user.elicit.form>) => {
      asked++;
      return user.elicit.form(...given);
    },
  };
  await using client = await connect(serverWith(ask), { elicit });
  await expect(client.call('ask', {})).rejects.toThrow('Internal error');
  expect(asked).toBe(0);
});
