/** ViewInbox: parsing of messages, and limits on their size and rate. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { ViewInbox } from './view-inbox.ts';

const note = (params: object = {}): object => ({ jsonrpc: '2.0', method: 'notifications/x', params });
const cyclic: { self?: object } = {};
cyclic.self = cyclic;

test.each([['text'], [7], [null], [undefined], [[note()]], [() => undefined], [cyclic], [{ big: 1n }]])(
  'what is no JSON object is no message (%#)',
  (sent) => {
    const read = (): unknown => new ViewInbox(virtualClock()).read(sent);
    expect(read).toThrow('Invalid request: a message is a JSON object');
  },
);

test('an object that is not a JSON-RPC message is rejected with the reason', () => {
  expect(() => new ViewInbox(virtualClock()).read({ method: 'x' })).toThrow(/^Invalid request: /);
});

test('a message has 1 MiB at most', () => {
  const inbox = new ViewInbox(virtualClock());
  const ofLength = (length: number): object => {
    const rest = JSON.stringify(note({ text: '' })).length;
    return note({ text: 'x'.repeat(length - rest) });
  };
  expect(inbox.read(ofLength(1024 * 1024))).toMatchObject({ method: 'notifications/x' });
  expect(() => inbox.read(ofLength(1024 * 1024 + 1))).toThrow('A message has 1048576 characters at most');
});

test('a view sends a hundred messages a second at most, whatever they are', async () => {
  const clock = virtualClock();
  const inbox = new ViewInbox(clock);
  for (let n = 0; n < 99; n++) inbox.read(note());
  expect(() => inbox.read('text')).toThrow('JSON object');
  expect(() => inbox.read(note())).toThrow('A view sends 100 messages a second at most');
  await clock.advance(1_000);
  expect(inbox.read(note())).toMatchObject({ method: 'notifications/x' });
});

test('a message is a copy: the page can change what it sent', () => {
  const params = { text: 'a' };
  const read = new ViewInbox(virtualClock()).read(note(params));
  params.text = 'b';
  expect(read).toMatchObject({ params: { text: 'a' } });
});
