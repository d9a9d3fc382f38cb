/** A server over HTTP that sends more requests than it accepts responses to. */
import { expect, test } from 'vitest';
import {
  type Asked,
  event,
  FakeWeb,
  OpenStream,
  result,
  sessions,
  status,
  text,
} from '../../../test/support/fake-web.ts';
import { soon } from '../../../test/support/soon.ts';
import { connect } from '../../connect/connect.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { ResponseQueue } from './response-queue.ts';

const ping = (id: number): string => event({ jsonrpc: '2.0', id: `q${id}`, method: 'ping' });

/** A call in whose stream the server sends requests, and the responses that it got. */
async function asking(count: number, accepts: () => Promise<Response>) {
  const stream = new OpenStream(Array.from({ length: count }, (_, id) => ping(id)).join(''));
  const web = new FakeWeb(
    sessions('2025-11-25', (asked) => {
      if (asked.method === 'GET') return status(405);
      if (asked.body['method'] === 'tools/call') return stream.response;
      return 'result' in asked.body ? accepts() : status(202);
    }),
  );
  const responses = (): Asked[] => web.asked.filter(({ body }) => 'result' in body);
  const client = await connect('https://a.example/mcp', { fetch: web.fetch, clock: virtualClock() });
  const call = client.call('t').then(
    ({ text: said }) => said,
    (error: Error) => `${error.message}, ${String(error.cause)}`,
  );
  await soon(() => expect(web.with('tools/call')).toHaveLength(1));
  const end = (): void => {
    const [asked] = web.with('tools/call');
    if (asked !== undefined) stream.write(event(result(asked, text('done'))));
  };
  return { client, call, responses, end };
}

test('a server that accepts no response occupies at most 16 connections, and the call goes on', async () => {
  const { client, call, responses, end } = await asking(500, () => new Promise(() => undefined));
  end();
  expect(await call).toBe('done');
  expect(responses()).toHaveLength(16);
  await client.close();
});

test('a server that accepts responses gets all of them, at most 16 at once', async () => {
  let [open, most] = [0, 0];
  const { client, call, responses, end } = await asking(500, async () => {
    most = Math.max(most, ++open);
    await Promise.resolve();
    open--;
    return status(202);
  });
  end();
  expect(await call).toBe('done');
  await soon(() => expect(new Set(responses().map(({ body }) => body['id'])).size).toBe(500));
  expect(most).toBeLessThanOrEqual(16);
  await client.close();
});

test('a server that sends endless requests and accepts no response is disconnected', async () => {
  const { client, call } = await asking(20_000, () => new Promise(() => undefined));
  expect(await call).toContain(
    'The backlog of responses that https://a.example/mcp requested but did not accept is larger than 16777216 bytes',
  );
  await client.close();
});

test('responses that were sent free their space, and so do those that are cleared', async () => {
  const body = 'x'.repeat(1024 * 1024);
  let full = 0;
  const release: (() => void)[] = [];
  const queue = new ResponseQueue(
    () => new Promise((resolve) => release.push(resolve)),
    () => full++,
  );
  const fill = (): void => {
    for (let sent = 0; sent < 16 + 15; sent++) queue.add(body);
  };
  const drain = async (): Promise<void> => {
    for (; release.length > 0; await nextTurn()) for (const resolve of release.splice(0)) resolve();
  };
  for (let round = 0; round < 3; round++) {
    fill();
    await drain();
  }
  fill();
  queue.clear();
  await drain();
  fill();
  expect(full).toBe(0);
  queue.add(body);
  expect(full).toBe(1);
});
