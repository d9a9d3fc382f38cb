/** Detects lost messages of a channel: each sender numbers its messages, and repeats its last number a few seconds later. */
import type { Clock } from '../peer/clock.ts';
import { setNewest } from '../peer/set-newest.ts';
import type { Channels } from './backend.ts';

/** The delay of that repetition, and so the time to detect the loss of a last message. */
const REPEAT_MS = 5_000;
/** Senders that a subscription tracks. The least recently active is evicted first. */
const MAX_SENDERS = 1_000;

/** Wraps channels that can lose messages. Numbers are per sender, because a shared counter would show gaps when two senders overtake each other. */
export function numberedChannel(channels: Channels, clock: Clock): Channels {
  const from: string = crypto.randomUUID();
  const sent = new Map<string, number>();
  const repeating = new Set<string>();
  const repeatLater = (channel: string): void => {
    if (repeating.has(channel)) return;
    repeating.add(channel);
    clock.after(REPEAT_MS, () => void repeat(channel), { idle: true });
  };
  const repeat = async (channel: string): Promise<void> => {
    repeating.delete(channel);
    try {
      await channels.publish(channel, JSON.stringify([from, sent.get(channel)]));
    } catch {
      repeatLater(channel);
    }
  };
  return {
    async publish(channel, data) {
      const number = (sent.get(channel) ?? 0) + 1;
      sent.set(channel, number);
      repeatLater(channel);
      await channels.publish(channel, JSON.stringify([from, number, data]));
    },
    subscribe(channel, onData, onMissed) {
      const lastNumbers = new Map<string, number>();
      const onText = (text: string): void => {
        const message = readMessage(text);
        if (message === undefined) return;
        const { sender, number, data } = message;
        const last = lastNumbers.get(sender) ?? 0;
        setNewest(lastNumbers, sender, Math.max(number, last), MAX_SENDERS);
        // Also true for a new sender, which can have sent messages before this one.
        if (number > last + (data === undefined ? 0 : 1)) onMissed();
        if (data !== undefined && number > last) onData(data);
      };
      return channels.subscribe(channel, onText, onMissed);
    },
  };
}

/** Parses a message; undefined if no numbered channel wrote it. */
function readMessage(text: string): { sender: string; number: number; data: string | undefined } | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed)) return undefined;
    const [sender, number, data] = parsed as unknown[];
    if (typeof sender !== 'string' || typeof number !== 'number') return undefined;
    return { sender, number, data: typeof data === 'string' ? data : undefined };
  } catch {
    return undefined;
  }
}
