/** The gateway's own question to a caller with a handshake: accepted answers, and the timeout. */
import { expect, test } from 'vitest';
import { type JsonObject, type RpcResponse, success } from '../../jsonrpc/message.ts';
import type { Link } from '../../peer/exchange.ts';
import type { Revision } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { RoutedRequest } from '../contract.ts';
import { askCaller } from './ask-caller.ts';
import { CallStates } from './call-states.ts';

const properties = { confirm: { type: 'boolean' } } as const;
const form = { message: 'Allow?', requestedSchema: { type: 'object', properties, required: ['confirm'] } } as const;

function asking(ask: Link['ask'], revision = '2025-11-25') {
  const clock = virtualClock();
  const link = { signal: new AbortController().signal, notify: () => undefined, ask };
  const caller = { capabilities: { elicitation: { form: {} } } };
  const routed = { revision: findRevision(revision) as Revision, caller, link } as unknown as RoutedRequest; // the members that it reads
  return { clock, asked: askCaller(routed, form, { states: new CallStates({ clock }), clock }) };
}

test.each<[unknown, JsonObject]>([
  [
    { action: 'accept', content: { confirm: true } },
    { action: 'accept', content: { confirm: true } },
  ],
  [{ action: 'decline' }, { action: 'decline' }],
  [{ action: 'cancel' }, { action: 'cancel' }],
  [{ action: ['decline'] }, { action: 'cancel' }],
  [{ action: 'Accept', content: { confirm: true } }, { action: 'cancel' }],
  [{}, { action: 'cancel' }],
])('the answer %j of a caller counts as %j', async (answer, expected) => {
  const { asked } = asking(async () => success(1, answer as JsonObject));
  expect(await asked).toEqual(expected);
});

test('an accepted form without an object for its content has no content', async () => {
  for (const content of [[true], 'yes', null]) {
    const { asked } = asking(async () => success(1, { action: 'accept', content }));
    expect(await asked).not.toHaveProperty('content');
  }
});

test('a caller that does not answer has cancelled after five minutes, and not before', async () => {
  let over: AbortSignal | undefined;
  const { asked, clock } = asking((_, signal) => {
    over = signal;
    return new Promise(() => undefined);
  });
  let said: unknown;
  void asked.then((answer) => {
    said = answer;
  });
  await clock.advance(299_999);
  expect([said, over?.aborted]).toEqual([undefined, false]);
  await clock.advance(1);
  expect(said).toEqual({ action: 'cancel' });
  // The question ends at the caller too.
  expect(over?.reason).toEqual(new Error('The answer took too long'));
});

test('a caller of a revision without forms is not asked, whatever it declares', async () => {
  let times = 0;
  const ask = async (): Promise<RpcResponse> => success(++times, { action: 'accept', content: { confirm: true } });
  for (const revision of ['2024-11-05', '2025-03-26'])
    expect(await asking(ask, revision).asked).toEqual({ action: 'cancel' });
  expect(times).toBe(0);
});
