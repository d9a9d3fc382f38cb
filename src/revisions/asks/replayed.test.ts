/** What a replayed handler gets from earlier rounds: answers to exactly the same questions, and outcomes of its steps. */
import { expect, test, vi } from 'vitest';
import { answer, asking, askName, call, nameForm, params } from '../../../test/support/asking.ts';
import { textOf } from '../../../test/support/raw.ts';
import { ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Context } from '../../server/context.ts';

test('ctx.once() runs a step once, and its result survives a replay of the handler', async () => {
  const ran: string[] = [];
  const raw = await asking(async (ctx) => {
    ran.push('start');
    const price = await ctx.once('price', () => {
      ran.push('price');
      return { amount: 7, at: null, list: [1, 'x'] };
    });
    const a = await askName(ctx, 'a');
    await ctx.once('void', () => void ran.push('void'));
    const b = await askName(ctx, 'b');
    return `${JSON.stringify(price)} ${a} ${b}`;
  });
  expect(textOf(await raw.complete('tools/call', params))).toBe('{"amount":7,"at":null,"list":[1,"x"]} a b');
  expect(ran).toEqual(['start', 'price', 'start', 'void', 'start']);
});

test('questions of one round are sent in the order in which the handler asked, however long each digest takes', async () => {
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const first = vi.spyOn(crypto.subtle, 'digest').mockImplementationOnce(async (...of) => {
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    return digest(...of);
  });
  const raw = await asking(async (ctx) => String(await Promise.all(['d', 'a', 'c'].map((key) => askName(ctx, key)))));
  const { inputRequests } = await call(raw);
  first.mockRestore();
  expect(Object.keys(inputRequests as JsonObject)).toEqual(['d', 'a', 'c']);
});

const otherForm = { ...nameForm, properties: { name: { type: 'string', title: 'Name on the card' } } };
const form = (message: string, requestedSchema: JsonObject): JsonObject => ({ mode: 'form', message, requestedSchema });

test.each<[string, (ctx: Context, first: boolean) => Promise<unknown>, JsonObject, JsonObject]>([
  [
    'message',
    (ctx, first) => ctx.ask('k', first ? 'It costs 5' : 'It costs 500', nameForm),
    form('It costs 5', nameForm),
    form('It costs 500', nameForm),
  ],
  [
    'schema',
    (ctx, first) => ctx.ask('k', 'Who?', first ? nameForm : otherForm),
    form('Who?', nameForm),
    form('Who?', otherForm),
  ],
  [
    'URL',
    (ctx, first) => ctx.ask('k', 'Go', { url: `https://${first ? 'dock' : 'evil'}.example/` }),
    { mode: 'url', message: 'Go', url: 'https://dock.example/' },
    { mode: 'url', message: 'Go', url: 'https://evil.example/' },
  ],
  [
    'model request',
    (ctx, first) => ctx.sample('k', { messages: [], maxTokens: first ? 1 : 100_000 }),
    { messages: [], maxTokens: 1 },
    { messages: [], maxTokens: 100_000 },
  ],
  ['method', (ctx, first) => (first ? ctx.roots('k') : ctx.ask('k', 'Who?', nameForm)), {}, form('Who?', nameForm)],
])('a question whose %s changed since it was answered is asked again under its key', async (_what, ask, was, is) => {
  let runs = 0;
  const raw = await asking(async (ctx) => {
    await ask(ctx, runs++ === 0);
    return 'done';
  });
  const asked = (result: JsonObject): unknown =>
    (result['inputRequests'] as Record<string, JsonObject>)['k']?.['params'];
  const first = await call(raw);
  expect(asked(first)).toEqual(was);
  const second = await call(raw, raw.answers(first));
  expect(asked(second)).toEqual(is);
  expect(textOf(await call(raw, raw.answers(second)))).toBe('done');
});

test('an answer of an earlier round does not count for a question that changed later', async () => {
  const prices = [5, 5, 500];
  const raw = await asking(async (ctx) => {
    const price = prices.shift() ?? 500;
    const agreed = await ctx.confirm('price', `It costs ${price}`);
    return `${price} ${agreed} ${await askName(ctx, 'b')}`;
  });
  const second = await call(raw, raw.answers(await call(raw)));
  expect(Object.keys(second['inputRequests'] as JsonObject)).toEqual(['b']);
  const third = await call(raw, raw.answers(second));
  expect(third['inputRequests']).toMatchObject({ price: { params: { message: 'It costs 500' } } });
  const no = { requestState: third['requestState'], inputResponses: { price: { action: 'decline' } } };
  expect(textOf(await call(raw, no))).toBe('500 false b');
});

test('an answer in the first request counts for the first question with its key', async () => {
  let runs = 0;
  const raw = await asking(async (ctx) => {
    const price = runs++ === 0 ? 5 : 500;
    const agreed = await ctx.confirm('price', `It costs ${price}`);
    return `${price} ${agreed} ${await askName(ctx, 'b')}`;
  });
  const inputResponses = { price: { action: 'accept', content: { confirm: true } } };
  const second = await call(raw, raw.answers(await call(raw, { inputResponses })));
  expect(Object.keys(second['inputRequests'] as JsonObject)).toEqual(['price']);
});

test('a question that follows from a stored answer shares the round of the other questions', async () => {
  const raw = await asking(async (ctx) => {
    const chain = async (): Promise<string> => `${await askName(ctx, 'a')} ${await askName(ctx, 'b')}`;
    const first = await askName(ctx, 'first');
    return `${first} ${String(await Promise.all([chain(), askName(ctx, 'c')]))}`;
  });
  const second = await call(raw, raw.answers(await call(raw)));
  expect(Object.keys(second['inputRequests'] as JsonObject)).toEqual(['a', 'c']);
  const { requestState } = second;
  const third = await call(raw, { requestState, inputResponses: { a: answer('', {}, 'a') } });
  expect(Object.keys(third['inputRequests'] as JsonObject)).toEqual(['c', 'b']);
  expect(textOf(await call(raw, raw.answers(third)))).toBe('first a b,c');
});

test('a step that is reached twice concurrently runs once', async () => {
  let ran = 0;
  const raw = await asking(async (ctx) => {
    const step = async (): Promise<number> => {
      await Promise.resolve();
      return ++ran;
    };
    const both = await Promise.all([ctx.once('s', step), ctx.once('s', step)]);
    return `${String(both)} ${await askName(ctx, 'a')}`;
  });
  expect(textOf(await raw.complete('tools/call', params))).toBe('1,1 a');
  expect(ran).toBe(1);
});

test('a step has the same idempotency key in every run of its call, and another in every other call', async () => {
  const keys: string[] = [];
  const pays = async (ctx: Context): Promise<void> => {
    await ctx.once('pay', ({ idempotencyKey, fence, signal }) => {
      expect([fence, signal.aborted]).toEqual([2, false]);
      keys.push(idempotencyKey);
    });
  };
  const raw = await asking(async (ctx) => {
    const name = await askName(ctx, 'a');
    await pays(ctx);
    return name;
  });
  for (let calls = 0; calls < 2; calls++) {
    const answers = raw.answers(await call(raw));
    // The response was lost, and the client repeats its request.
    await call(raw, answers);
    await call(raw, answers);
  }
  const [first, again, other, otherAgain] = keys;
  expect(keys).toHaveLength(4);
  expect(first).toMatch(/^[\w-]{43}:pay$/);
  expect([again, otherAgain]).toEqual([first, other]);
  expect(other).not.toBe(first);
});

test('a step returns the same value in its own run as in later runs', async () => {
  const seen: unknown[] = [];
  const raw = await asking(async (ctx) => {
    seen.push(await ctx.once('s', () => ({ at: new Date(0), none: undefined })), await ctx.once('v', () => undefined));
    return askName(ctx, 'a');
  });
  await raw.complete('tools/call', params);
  const json = { at: '1970-01-01T00:00:00.000Z' };
  expect(seen).toStrictEqual([json, undefined, json, undefined]);
});

test.each([
  ['a ToolError', new ToolError('declined'), 'ToolError declined'],
  ['another error', new RangeError('too much'), 'RangeError too much'],
  ['anything else', 'no', 'Error no'],
])('a step that throws %s throws the same in every replay', async (_what, thrown, seen) => {
  let tries = 0;
  const raw = await asking(async (ctx) => {
    const failed = await ctx
      .once('charge', () => {
        tries++;
        throw thrown;
      })
      .catch((error: Error) => error);
    const cash = await askName(ctx, 'cash');
    return `${failed instanceof Error ? failed.name : 'none'} ${failed instanceof Error ? failed.message : ''} ${cash}`;
  });
  expect(textOf(await raw.complete('tools/call', params))).toBe(`${seen} cash`);
  expect(tries).toBe(1);
});

test('a step that asks a question fails the call, because it would run again with the answer', async () => {
  let tries = 0;
  const raw = await asking((ctx) =>
    ctx.once('outer', () => {
      tries++;
      return askName(ctx, 'inner');
    }),
  );
  const error = { code: -32603, message: 'The step "outer" asks a question: ask first, then begin the step' };
  expect(await raw.error('tools/call', params)).toEqual(error);
  expect(tries).toBe(1);
});

test('a suspension waits for concurrent steps, so that none of them runs twice', async () => {
  let [began, ended] = [0, 0];
  const raw = await asking(async (ctx) => {
    const slow = ctx.once('slow', async () => {
      began++;
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      ended++;
      return 's';
    });
    return (await Promise.all([askName(ctx, 'a'), slow])).join(' ');
  });
  const first = await call(raw);
  expect(ended).toBe(1);
  expect(textOf(await call(raw, raw.answers(first)))).toBe('a s');
  expect(began).toBe(1);
});

test('an unused step and a step that is reached twice cause warnings', async () => {
  const warnings: string[] = [];
  let runs = 0;
  const raw = await asking(
    async (ctx) => {
      await ctx.once(`key-${++runs}`, () => 1);
      await ctx.once('page', () => 1);
      await ctx.once('page', () => 2);
      return askName(ctx, 'a');
    },
    { spec: { onWarning: (warning) => void warnings.push(warning) } },
  );
  await raw.complete('tools/call', params);
  expect(warnings.slice(1)).toEqual([expect.stringContaining('"page" twice'), expect.stringContaining('"key-1"')]);
});
