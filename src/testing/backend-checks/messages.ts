/** Checks of `channel` of a backend: publish and subscribe. */
import { systemClock } from '../../peer/clock.ts';
import type { Backend } from '../../stores/backend.ts';
import { expectEqual, inTime } from '../check-support.ts';
import { type BackendCheckBody, ODD_TEXTS } from './check-body.ts';

interface Listener {
  readonly received: string[];
  /** Counts calls of `onMissed`. */
  missed: number;
  stop(): void;
  /** Resolves when this message has arrived. */
  until(text: string): Promise<void>;
}

/** Subscribes, and waits until messages of all senders arrive, because a subscription can take effect with a delay. */
async function listen(backend: Backend, senders: readonly Backend[], channel = 'c'): Promise<Listener> {
  const wanted = new Map<string, () => void>();
  const received: string[] = [];
  const onData = (data: string): void => {
    received.push(data);
    wanted.get(data)?.();
  };
  const listener: Listener = {
    received,
    missed: 0,
    stop: backend.channel.subscribe(channel, onData, () => listener.missed++),
    until: (text) =>
      inTime(
        `the message ${text}`,
        new Promise((resolve) => (received.includes(text) ? resolve() : wanted.set(text, resolve))),
      ),
  };
  for (const sender of senders) {
    const probe: string = crypto.randomUUID();
    let hasArrived = false;
    const done = listener.until(probe).then(() => {
      hasArrived = true;
    });
    while (!hasArrived) {
      await sender.channel.publish(channel, probe);
      await Promise.race([done, turn()]);
    }
    await done;
  }
  await discardEarlier(listener, senders, channel);
  return listener;
}

/** Waits until all earlier messages have arrived, and discards them. */
async function discardEarlier(listener: Listener, senders: readonly Backend[], channel: string): Promise<void> {
  for (const sender of senders) {
    const last: string = crypto.randomUUID();
    await sender.channel.publish(channel, last);
    await listener.until(last);
  }
  listener.received.length = 0;
  listener.missed = 0;
}

const turn = (): Promise<void> => new Promise((resolve) => void systemClock.after(0, resolve));

export const channelChecks: Record<string, BackendCheckBody> = {
  async 'channel: a listener of another handle hears what is published, in order'({ one, other }) {
    const listener = await listen(other, [one]);
    for (const data of ['a', 'b', 'c', 'end']) await one.channel.publish('c', data);
    await listener.until('end');
    listener.stop();
    expectEqual('heard', listener.received, ['a', 'b', 'c', 'end']);
    expectEqual('missed', listener.missed, 0);
  },
  async 'channel: the publisher hears its own messages'({ one }) {
    const listener = await listen(one, [one]);
    await one.channel.publish('c', 'own');
    await listener.until('own');
    listener.stop();
  },
  async 'channel: every listener hears every message once'({ one, other }) {
    const all = [await listen(one, [one]), await listen(one, [one]), await listen(other, [one])];
    await one.channel.publish('c', 'x');
    await one.channel.publish('c', 'end');
    for (const listener of all) await listener.until('end');
    for (const listener of all) listener.stop();
    const ours = all.map(({ received }) => received.filter((data) => data === 'x' || data === 'end'));
    expectEqual('heard', ours, [
      ['x', 'end'],
      ['x', 'end'],
      ['x', 'end'],
    ]);
  },
  async 'channel: other channels and other places hear nothing'({ one, other, elsewhere }) {
    const listeners = [await listen(other, [one], 'd'), await listen(elsewhere, [elsewhere])];
    const here = await listen(other, [one]);
    await one.channel.publish('c', 'x');
    await here.until('x');
    await one.channel.publish('d', 'end');
    await elsewhere.channel.publish('c', 'end');
    for (const listener of listeners) await listener.until('end');
    for (const listener of [...listeners, here]) listener.stop();
    expectEqual(
      'heard',
      listeners.map(({ received }) => received),
      [['end'], ['end']],
    );
  },
  async 'channel: a listener that was stopped hears nothing, and the others go on'({ one, other }) {
    const [stopped, active] = [await listen(other, [one]), await listen(other, [one])];
    stopped.received.length = 0;
    stopped.stop();
    await one.channel.publish('c', 'x');
    await active.until('x');
    active.stop();
    expectEqual('heard by the one that was stopped', stopped.received, []);
  },
  async 'channel: to stop twice changes nothing'({ one, other }) {
    const [stopped, active] = [await listen(other, [one]), await listen(other, [one])];
    stopped.stop();
    stopped.stop();
    await one.channel.publish('c', 'x');
    await active.until('x');
    active.stop();
  },
  async 'channel: one function that is subscribed twice is called twice'({ one, other }) {
    const received: string[] = [];
    const onData = (data: string): void => void (data === 'x' && received.push(data));
    const stops = [0, 1].map(() => other.channel.subscribe('c', onData, () => undefined));
    const listener = await listen(other, [one]);
    await one.channel.publish('c', 'x');
    await listener.until('x');
    for (const stop of [...stops, listener.stop]) stop();
    expectEqual('heard', received, ['x', 'x']);
  },
  async 'channel: keeps texts as they are'({ one, other }) {
    const listener = await listen(other, [one]);
    for (const data of ODD_TEXTS) await one.channel.publish('c', data);
    await one.channel.publish('c', 'end');
    await listener.until('end');
    listener.stop();
    expectEqual('heard', listener.received.slice(0, -1), ODD_TEXTS);
  },
  async 'channel: nothing counts as missed where senders overtake each other'({ one, other }) {
    const listener = await listen(other, [one, other]);
    const sent = Array.from({ length: 40 }, (_, i) => (i % 3 ? one : other).channel.publish('c', `m${i}`));
    await Promise.all(sent);
    await one.channel.publish('c', 'end of one');
    await other.channel.publish('c', 'end of other');
    await listener.until('end of one');
    await listener.until('end of other');
    listener.stop();
    expectEqual('messages and missed', [listener.received.length, listener.missed], [42, 0]);
  },
  async 'channel: publishing where no listener is rejects nothing'({ one }) {
    await one.channel.publish('c', 'x');
  },
};
