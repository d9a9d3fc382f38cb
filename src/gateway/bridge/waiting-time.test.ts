/** Timeouts of a waiting call: its own is paused while a question is open, and all timers are cleared. */
import { expect, test } from 'vitest';
import { open, STATELESS, textOf } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { createServer, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { GatewayServer } from '../gateway.ts';

const ship = { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] } as const;
const call = { name: 'harbour__ask', arguments: {} };

async function setScene() {
  const clock = virtualClock();
  const seen = { answer: '', aborted: false };
  const ask = tool({
    name: 'ask',
    run: async (_input, ctx) => {
      ctx.signal.addEventListener('abort', () => {
        seen.aborted = true;
      });
      const answer = await ctx.ask('ship', 'Which ship?', ship);
      seen.answer = answer.action;
      if (!answer.accepted) await new Promise(() => undefined);
      return `moored ${String(answer.value?.['ship'])}`;
    },
  });
  const server = createServer({ name: 'harbour', version: '1', onError: () => undefined, parts: [ask] });
  const gateway = new GatewayServer({
    name: 'acme',
    version: '1',
    clock,
    onWarning: () => undefined,
    upstreams: { harbour: { server, revisions: ['2025-11-25'], timeouts: { callMs: 10_000 } } },
  });
  const raw = await open(gateway, { revision: STATELESS, capabilities: { elicitation: {} } });
  const started = raw.result('tools/call', call);
  await soon(() => expect(gateway.state.bridge.waiting).toBe(1));
  await clock.advance(15);
  const asks = await started;
  const answer = (): Promise<JsonObject> =>
    raw.result('tools/call', {
      ...call,
      requestState: asks['requestState'],
      inputResponses: { q1: { action: 'accept', content: { ship: 'Beagle' } } },
    });
  return { clock, gateway, seen, answer };
}

test('a user who takes four minutes to answer does not time the call out', async () => {
  const { clock, answer, gateway } = await setScene();
  await clock.advance(240_000);
  expect(textOf(await answer())).toBe('moored Beagle');
  expect(gateway.state.bridge.waiting).toBe(0);
});

test('a call that its caller leaves alone is answered with cancel after five minutes and cancelled two seconds later', async () => {
  const { clock, seen, gateway, answer } = await setScene();
  await clock.advance(300_000);
  await soon(() => expect(seen.answer).toBe('cancel'));
  expect(seen.aborted).toBe(false);
  await clock.advance(2_000);
  await soon(() => expect(seen.aborted).toBe(true));
  expect([gateway.state.bridge.waiting, gateway.upstreams.get('harbour')?.calls.open]).toEqual([0, 0]);
  await expect(answer()).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('has expired') });
});
