/** Notices what a channel lost: each sender numbers its own messages, and repeats its last number a while after it sent. */
import type { Clock } from '../peer/clock.ts';
import type { Channels } from './backend.ts';

/** A lost message is noticed after so long, where no other follows it. */
const REPEAT_MS = 5_000;
/** Senders that a subscription knows the number of. The one that was quiet longest is forgotten first. */
const MAX_SENDERS = 1_000;

/** Wraps a channel that can lose messages. A number for all senders together would show gaps where two overtake each other. */
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
      const heard = new Map<string, number>();
      const onText = (text: string): void => {
        const message = readMessage(text);
        if (message === undefined) return;
        const { sender, number, data } = message;
        const last = heard.get(sender) ?? 0;
        heard.delete(sender);
        heard.set(sender, Math.max(number, last));
        const [quietest = ''] = heard.keys();
        if (heard.size > MAX_SENDERS) heard.delete(quietest);
        // One that was not heard of before can have sent something before this.
        if (number > last + (data === undefined ? 0 : 1)) onMissed();
        if (data !== undefined && number > last) onData(data);
      };
      return channels.subscribe(channel, onText, onMissed);
    },
  };
}

/** Undefined for what no sender of ours wrote. */
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
