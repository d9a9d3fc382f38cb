/** numberedChannel(): detection of lost messages. */
import { expect, test } from 'vitest';
import { type VirtualClock, virtualClock } from '../testing/virtual-clock.ts';
import type { Channels } from './backend.ts';
import { memoryBackend } from './memory-backend.ts';
import { numberedChannel } from './numbered-channel.ts';

interface LossyChannel {
  readonly clock: VirtualClock;
  readonly sender: Channels;
  readonly heard: string[];
  /** Drops messages that are published from now on, or rejects them. */
  lose(how: 'nothing' | 'silently' | 'loudly'): void;
}

function lossyChannel(): LossyChannel {
  const clock = virtualClock();
  const { channel } = memoryBackend({ clock });
  let losing = 'nothing';
  const lossy: Channels = {
    async publish(name, data) {
      if (losing === 'loudly') throw new Error('away');
      if (losing === 'nothing') await channel.publish(name, data);
    },
    subscribe: channel.subscribe,
  };
  const heard: string[] = [];
  numberedChannel(lossy, clock).subscribe(
    'c',
    (data) => heard.push(data),
    () => heard.push('missed'),
  );
  return { clock, sender: numberedChannel(lossy, clock), heard, lose: (how) => (losing = how) };
}

test('a lost message is detected when the next one of its sender arrives', async () => {
  const { sender, heard, lose } = lossyChannel();
  await sender.publish('c', 'a');
  lose('silently');
  await sender.publish('c', 'b');
  lose('nothing');
  await sender.publish('c', 'c');
  expect(heard).toEqual(['a', 'missed', 'c']);
});

test('the loss of a last message is detected after five seconds', async () => {
  const { clock, sender, heard, lose } = lossyChannel();
  await sender.publish('c', 'a');
  await clock.advance(5_000);
  lose('silently');
  await sender.publish('c', 'b');
  lose('nothing');
  expect(heard).toEqual(['a']);
  await clock.advance(5_000);
  expect(heard).toEqual(['a', 'missed']);
});

test('a failed repetition of the number is retried', async () => {
  const { clock, sender, heard, lose } = lossyChannel();
  await sender.publish('c', 'a');
  lose('loudly');
  await expect(sender.publish('c', 'b')).rejects.toThrow('away');
  await clock.advance(20_000);
  lose('nothing');
  await clock.advance(5_000);
  expect(heard).toEqual(['a', 'missed']);
});

test('a sender that is idle does not repeat its number again', async () => {
  const { clock, sender, heard } = lossyChannel();
  await sender.publish('c', 'a');
  await clock.advance(60_000);
  expect(heard).toEqual(['a']);
});

test('a new sender whose first message has number 2 counts as a loss', async () => {
  const { sender, heard, lose } = lossyChannel();
  lose('silently');
  await sender.publish('c', 'a');
  lose('nothing');
  await sender.publish('c', 'b');
  expect(heard).toEqual(['missed', 'b']);
});

test('messages without a number are ignored', async () => {
  const { channel } = memoryBackend();
  const heard: string[] = [];
  numberedChannel(channel, virtualClock()).subscribe(
    'c',
    (data) => heard.push(data),
    () => heard.push('missed'),
  );
  for (const text of ['', 'x', '1', 'null', '[]', '["a"]', '["a","b"]', '{}']) await channel.publish('c', text);
  expect(heard).toEqual([]);
});
