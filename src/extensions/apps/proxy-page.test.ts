/** The script of the proxy page, with simulated windows. test/browser runs it in real browsers. */
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type ProxyPage, proxyHtml } from './proxy-page.ts';

const HOST = 'http://localhost:3000';
const VIEW = 'http://v-1-c.localhost:4000';
const page: ProxyPage = {
  ...{ viewUrl: `${VIEW}/`, viewOrigin: VIEW, hostOrigin: HOST },
  ...{ sandbox: 'allow-scripts', allow: 'camera' },
};
const show = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: {} };
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };

interface Sent {
  readonly data: unknown;
  readonly target: string;
}
const windowInto = (sent: Sent[]) => ({
  postMessage: (data: unknown, target: string) => void sent.push({ data, target }),
});

function proxy(settings: ProxyPage = page) {
  const [toHost, toView]: [Sent[], Sent[]] = [[], []];
  const [host, view] = [windowInto(toHost), windowInto(toView)];
  const attributes: Record<string, string> = {};
  const frame = {
    contentWindow: null as object | null,
    src: '',
    setAttribute: (name: string, value: string): void => {
      attributes[name] = value;
    },
  };
  let shown = 0;
  let listener: (event: object) => void = () => undefined;
  const [, script = ''] = /<script nonce="n">([\s\S]*)<\/script>/.exec(proxyHtml(settings, 'n')) ?? [];
  runInNewContext(script, {
    parent: host,
    addEventListener: (_: string, hear: (event: object) => void) => {
      listener = hear;
    },
    document: {
      createElement: () => frame,
      body: {
        append: () => {
          shown++;
          frame.contentWindow = view;
        },
      },
    },
  });
  const say = (data: unknown, source: object | null, origin: string, timeStamp = 0): void =>
    listener({ data, source, origin, timeStamp });
  const started = toHost.splice(0);
  return { toHost, toView, host, view, frame, attributes, say, started, shown: () => shown };
}

test('the proxy sends ready to the host only, and frames the view once when the host requests it', () => {
  const { started, say, host, view, frame, attributes, shown } = proxy();
  expect(started).toEqual([
    { data: { jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, target: HOST },
  ]);
  expect(attributes).toEqual({ sandbox: 'allow-scripts', allow: 'camera' });
  say(show, host, 'https://evil.example');
  say(show, host, VIEW);
  say(show, view, HOST);
  say(show, view, VIEW);
  say(show, null, HOST);
  expect([shown(), frame.src]).toEqual([0, '']);
  say(show, host, HOST);
  say(show, host, HOST);
  expect([shown(), frame.src]).toEqual([1, page.viewUrl]);
});

test('messages of the host go to the view, and those of the view to the host, each to its origin alone', () => {
  const { say, host, view, toHost, toView } = proxy();
  say(message, host, HOST);
  expect(toView).toEqual([]);
  say(show, host, HOST);
  say(message, host, HOST);
  say(message, view, VIEW);
  expect(toView).toEqual([{ data: message, target: VIEW }]);
  expect(toHost).toEqual([{ data: message, target: HOST }]);
});

test('a message of any other window or origin is dropped', () => {
  const { say, host, view, frame, toHost, toView } = proxy();
  say(show, host, HOST);
  for (const source of [host, view, {}, null])
    for (const origin of [HOST, VIEW, 'null', 'https://evil.example'])
      if ((source !== host || origin !== HOST) && (source !== view || origin !== VIEW)) say(message, source, origin);
  // A frame that was closed has no window, and neither has a message without a sender.
  frame.contentWindow = null;
  say(message, null, VIEW);
  expect([toHost, toView]).toEqual([[], []]);
});

test('messages with the prefix of the proxy, and values that are not objects, are not relayed in either direction', () => {
  const { say, host, view, toHost, toView } = proxy();
  say(show, host, HOST);
  const own = ['sandbox-proxy-ready', 'sandbox-anything'].map((name) => ({ method: `ui/notifications/${name}` }));
  for (const data of [...own, 'text', null, undefined, [message]]) {
    say(data, host, HOST);
    say(data, view, VIEW);
  }
  expect([toHost, toView]).toEqual([[], []]);
});

test('the proxy relays 200 messages of a view per second, of up to two million characters', () => {
  const { say, host, view, toHost, toView } = proxy();
  say(show, host, HOST);
  for (let n = 0; n < 300; n++) say(message, view, VIEW, 1_999);
  expect(toHost).toHaveLength(200);
  say(message, view, VIEW, 2_000);
  expect(toHost).toHaveLength(201);
  const around = JSON.stringify({ text: '' }).length;
  for (const more of [0, 1]) say({ text: 'x'.repeat(2 * 1024 * 1024 - around + more) }, view, VIEW, 3_000);
  expect(toHost).toHaveLength(202);
  // The host is not limited.
  for (let n = 0; n < 300; n++) say(message, host, HOST, 3_000);
  expect(toView).toHaveLength(300);
});

test('a view with an opaque origin is addressed by its window, and must send from a null origin', () => {
  const { say, host, view, toHost, toView } = proxy({ ...page, viewOrigin: 'null' });
  say(show, host, HOST);
  say(message, host, HOST);
  expect(toView).toEqual([{ data: message, target: '*' }]);
  say(message, view, VIEW);
  expect(toHost).toEqual([]);
  say(message, view, 'null');
  expect(toHost).toHaveLength(1);
});

test('the page has a document type, and the style of the nonce that its policy allows', () => {
  expect(proxyHtml(page, 'n')).toMatch(
    /^<!doctype html><meta charset="utf-8">.*\n<style nonce="n">html, body, iframe \{/,
  );
});

test('nothing in the settings ends the script', () => {
  const html = proxyHtml({ ...page, viewUrl: '</script><script>alert(1)</script>' }, 'n');
  expect(html.match(/<\/?script/g)).toHaveLength(2);
});
