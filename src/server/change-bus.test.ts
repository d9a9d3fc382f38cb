/** Notifications of changes across processes: each server here stands for one process, and they share only a bus. */
import { describe, expect, test } from 'vitest';
import { open } from '../../test/support/raw.ts';
import {
  type ChangeBus,
  createServer,
  memoryChangeBus,
  resource,
  type Server,
  type SharedChanges,
  tool,
} from '../index.ts';
import type { Change } from '../model/change.ts';
import { nextTurn } from '../peer/runtime.ts';

const part = (name: string): ReturnType<typeof tool> => tool({ name, run: () => '' });
const page = resource({ uri: 'a:b', read: () => 'x' });

function serverOf(news: ChangeBus, onError: (error: unknown) => void = () => undefined): Server {
  return createServer({ name: 'dock', version: '1', parts: [part('t'), page], changes: news, onError });
}

/** A bus that records what was published, and counts its listeners. */
function tapped(): { bus: ChangeBus; published: SharedChanges[]; listening: () => number } {
  const inner = memoryChangeBus();
  const published: SharedChanges[] = [];
  let count = 0;
  const bus: ChangeBus = {
    publish(shared) {
      published.push(shared);
      // As over a network: asynchronous, and as a copy.
      return nextTurn().then(() => inner.publish(JSON.parse(JSON.stringify(shared)) as SharedChanges)); // a JSON round trip
    },
    subscribe(listener) {
      count++;
      const stop = inner.subscribe(listener);
      return () => {
        count--;
        stop();
      };
    },
  };
  return { bus, published, listening: () => count };
}

const told = ({ pushed }: { pushed: { method: string }[] }): string[] =>
  pushed.splice(0).map(({ method }) => method.replace('notifications/', ''));
const settled = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await nextTurn();
};

test('a change in one process notifies the clients of all processes once', async () => {
  const { bus } = tapped();
  const [a, b] = [serverOf(bus), serverOf(bus)];
  const clients = [await open(a, { revision: '2025-11-25' }), await open(b, { revision: '2025-11-25' })];
  a.add(part('more'));
  await settled();
  expect(clients.map(told)).toEqual([['tools/list_changed'], ['tools/list_changed']]);
  b.updated('a:b');
  await settled();
  expect(clients.map(told)).toEqual([[], []]);
  await clients[0]?.result('resources/subscribe', { uri: 'a:b' });
  b.updated('a:b');
  await settled();
  expect(clients.map(told)).toEqual([['resources/updated'], []]);
});

test('changes of one event-loop turn are published together', async () => {
  const { bus, published } = tapped();
  const a = serverOf(bus);
  a.add(part('one'));
  a.add(part('two'));
  a.updated('a:b');
  await settled();
  expect(published).toEqual([
    { from: expect.any(String), changes: [{ kind: 'tools' }, { kind: 'resource', uri: 'a:b' }] satisfies Change[] },
  ]);
});

test('changes that another process published are not published again', async () => {
  const { bus, published } = tapped();
  const [a, b] = [serverOf(bus), serverOf(bus)];
  await open(b, { revision: '2025-11-25' });
  a.add(part('more'));
  await settled();
  expect(published).toHaveLength(1);
});

test('a server without clients publishes its changes, and does not subscribe', async () => {
  const { bus, listening } = tapped();
  const [a, b] = [serverOf(bus), serverOf(bus)];
  const client = await open(b, { revision: '2025-11-25' });
  expect(listening()).toBe(1);
  a.add(part('more'));
  await settled();
  expect(told(client)).toEqual(['tools/list_changed']);
  client.close();
  expect(listening()).toBe(0);
});

test('changes of an unknown kind are ignored', async () => {
  const bus = memoryChangeBus();
  const client = await open(serverOf(bus), { revision: '2025-11-25' });
  const strange = [{ kind: 'weather' }, 7, null, { kind: 'resource' }, { kind: 'tools' }];
  await bus.publish({ from: 'newer', changes: strange as unknown as Change[] }); // what a later version might send
  await settled();
  expect(told(client)).toEqual(['tools/list_changed']);
});

describe('a bus that fails', () => {
  test('a change bus that fails to unsubscribe is reported, and is subscribed to again', async () => {
    const errors: unknown[] = [];
    let joined = 0;
    const subscribe = () => {
      joined++;
      return (): void => {
        throw new Error('no bus');
      };
    };
    const a = serverOf({ publish: () => undefined, subscribe }, (error) => void errors.push(error));
    for (let n = 0; n < 2; n++) (await open(a, { revision: '2025-11-25' })).close();
    expect([joined, errors]).toEqual([2, [new Error('no bus'), new Error('no bus')]]);
  });

  test.each<[string, ChangeBus]>([
    ['later', { publish: () => Promise.reject(new Error('no bus')), subscribe: () => () => undefined }],
    [
      'at once',
      {
        publish: () => {
          throw new Error('no bus');
        },
        subscribe: () => {
          throw new Error('no bus');
        },
      },
    ],
  ])('a change bus that fails %s is reported, and clients of this process are still notified', async (_when, bus) => {
    const errors: unknown[] = [];
    const a = serverOf(bus, (error) => void errors.push(error));
    const client = await open(a, { revision: '2025-11-25' });
    a.add(part('more'));
    await settled();
    expect(told(client)).toEqual(['tools/list_changed']);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toEqual(new Error('no bus'));
  });
});

test('a listener that is subscribed twice to a memoryChangeBus() is called twice', async () => {
  const bus = memoryChangeBus();
  const heard: SharedChanges[] = [];
  const listener = (shared: SharedChanges): void => void heard.push(shared);
  const [stop] = [bus.subscribe(listener), bus.subscribe(listener)];
  await bus.publish({ from: 'x', changes: [] });
  stop();
  await bus.publish({ from: 'x', changes: [] });
  expect(heard).toHaveLength(3);
});
