/** `CallLink`, the link class of all transports, on a channel that records. */
import { expect, test } from 'vitest';
import { notification, request, success } from '../jsonrpc/message.ts';
import { PROTOCOL_VERSION } from '../model/names.ts';
import { CallLink, detachedLink, type LinkChannel } from './call-link.ts';
import { linkWith, whenAborted } from './exchange.ts';

interface Recorder extends LinkChannel {
  readonly seen: unknown[];
}

const recorder = (more: Partial<LinkChannel> = {}): Recorder => {
  const seen: unknown[] = [];
  return {
    seen,
    send: ({ method }) => void seen.push(method),
    ask: async ({ id, method }) => {
      seen.push(method);
      return success(id, {});
    },
    ...more,
  };
};

test('a call sends notifications and requests over its channel until it is answered', async () => {
  const channel = recorder();
  const call = new CallLink(request(1, 'tools/call'), channel);
  call.notify(notification('n'));
  expect(await call.ask(request(2, 'q'))).toEqual(success(2, {}));
  call.done = true;
  call.notify(notification('late'));
  await expect(call.ask(request(3, 'late'))).rejects.toThrow('tools/call has been answered');
  expect(channel.seen).toEqual(['n', 'q']);
});

test('a request with a signal is cancelled with it or with the call, and one without a signal with the call alone', () => {
  const seen: string[] = [];
  const channel = recorder({
    ask: ({ method }, link) => {
      whenAborted(link, (reason) => void seen.push(`${method}: ${reason}`));
      return new Promise(() => undefined);
    },
  });
  const call = new CallLink(request(1, 'tools/call'), channel);
  const [first, second] = [new AbortController(), new AbortController()];
  void call.ask(request(2, 'first'), first.signal);
  void linkWith(call, {}).ask(request(3, 'second'), second.signal);
  void call.ask(request(4, 'third'));
  first.abort('enough');
  expect(seen).toEqual(['first: enough']);
  call.cancel('all over');
  expect(seen.slice(1).toSorted()).toEqual(['second: all over', 'third: all over']);
});

test('a cancelled call aborts its signal once, notifies its channel, and sends no further message', () => {
  const channel = recorder({ onCancelled: (reason) => void channel.seen.push(`cancelled: ${reason}`) });
  const call = new CallLink(request(1, 'tools/call'), channel);
  call.onAbort((reason) => void channel.seen.push(`aborted: ${reason}`));
  call.cancel('first');
  call.cancel('second');
  call.notify(notification('late'));
  expect(call.signal.reason).toBe('first');
  expect(channel.seen).toEqual(['aborted: first', 'cancelled: first']);
});

test('a call that was answered cannot be cancelled', () => {
  const channel = recorder({ onCancelled: () => void channel.seen.push('cancelled') });
  const call = new CallLink(request(1, 'tools/call'), channel);
  call.done = true;
  call.cancel('too late');
  expect(call.signal.aborted).toBe(false);
  expect(channel.seen).toEqual([]);
});

test('the connection of a call is watched once a listener for cancellation is added', () => {
  const channel = recorder({ watch: () => void channel.seen.push('watched') });
  const call = new CallLink(request(1, 'tools/call'), channel);
  expect(channel.seen).toEqual([]);
  call.onAbort(() => undefined);
  expect(call.signal.aborted).toBe(false);
  expect(channel.seen).toEqual(['watched']);
});

test('a call can be released until it is answered, if its channel has a retry delay', () => {
  expect(new CallLink(request(1, 'tools/call'), recorder()).release).toBeUndefined();
  const channel = recorder({ retryMs: 500, release: (ms) => void channel.seen.push(ms) });
  const call = new CallLink(request(1, 'tools/call'), channel);
  call.release?.();
  call.release?.(7);
  call.done = true;
  call.release?.();
  expect(channel.seen).toEqual([500, 7]);
});

test('a call belongs to the session of its channel unless its _meta states a protocol version', () => {
  const channel = recorder();
  expect(new CallLink(request(1, 'tools/call', {}), channel).inSession).toBe(true);
  const _meta = { [PROTOCOL_VERSION]: '2026-07-28' };
  expect(new CallLink(request(1, 'tools/call', { _meta }), channel).inSession).toBe(false);
});

test('the detached link is never cancelled, drops notifications and rejects requests', async () => {
  detachedLink.notify(notification('n'));
  expect(detachedLink.signal.aborted).toBe(false);
  await expect(detachedLink.ask(request(1, 'q'))).rejects.toThrow('belongs to no request');
});
