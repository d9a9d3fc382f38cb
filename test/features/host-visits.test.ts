/** Requests that fail because the user must visit a page first, and are repeated after the visit. */
import { describe, expect, test } from 'vitest';
import type { UrlRequiredHandler } from '../../src/client/index.ts';
import { RpcError } from '../../src/errors.ts';
import type { ConsentQuestion } from '../../src/host/consent/consent.ts';
import { createHost } from '../../src/host/create-host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import type { QuestionHandler } from '../../src/host/questions/question-handler.ts';
import { FakeServer } from '../support/fake-server.ts';
import { settled } from '../support/held-clock.ts';
import { opened } from '../support/opened.ts';
import { verifies } from '../support/verifies.ts';

const url = 'https://pay.example.test/start';
const COMPLETE = 'notifications/elicitation/complete';
const unpaid = (...pages: readonly string[]): RpcError =>
  new RpcError(-32042, 'Visit first', {
    elicitations: pages.map((page, i) => ({ mode: 'url', message: 'Pay.', url: page, elicitationId: `e${i}` })),
  });
const bought = { content: [{ type: 'text', text: 'bought' }], resultType: 'complete' };

/** A host with a shop that needs a visit, and a user who accepts everything or nothing. */
class Tested implements AsyncDisposable {
  paid = false;
  readonly visited: string[] = [];
  readonly asked: ConsentQuestion[] = [];
  readonly shop: FakeServer;
  readonly #host: ReturnType<typeof createHost>;

  constructor({ pages = [url], revision = '2025-11-25', allow = true, visiting }: Given = {}) {
    const tools = [{ name: 'buy', inputSchema: { type: 'object' } }];
    this.shop = new FakeServer({
      revision,
      on: {
        'tools/list': () => ({ tools, ttlMs: 0, cacheScope: 'private' }),
        'tools/call': () => (this.paid ? bought : unpaid(...pages)),
      },
    });
    this.#host = createHost({
      servers: { shop: this.shop.transport },
      policy: [rules.allow({ kind: ['connect', 'tool'] })],
      health: false,
      consent: (question) => {
        this.asked.push(question);
        return { allow };
      },
      questions: {
        form: async () => ({ action: 'decline' }),
        open: async (page) => void this.visited.push(page),
        ...(visiting === undefined ? {} : { visiting }),
      },
    });
  }

  buy(signal?: AbortSignal): Promise<string> {
    const session = this.#host.session({ principal: 'ada' });
    return session.call('shop.buy', {}, { signal }).then(
      ({ text }) => text,
      (error: unknown) => (error instanceof RpcError ? `failed: ${error.code}` : String(error)),
    );
  }

  get calls(): number {
    return this.shop.params('tools/call').length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.close();
  }
}

interface Given {
  readonly pages?: readonly string[];
  readonly revision?: string;
  readonly allow?: boolean;
  readonly visiting?: NonNullable<QuestionHandler['visiting']>;
}

const calm = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await settled();
};

describe('a request that failed for want of a visit', () => {
  test('is repeated when the server says that the visit is over, and not before', async () => {
    verifies('ELIC-31');
    await using given = new Tested();
    const buying = given.buy();
    await calm();
    expect([given.visited, given.calls]).toEqual([[url], 1]);
    given.paid = true;
    given.shop.line.notify(COMPLETE, { elicitationId: 'another' });
    await calm();
    expect(given.calls).toBe(1);
    given.shop.line.notify(COMPLETE, { elicitationId: 'e0' });
    expect(await buying).toBe('bought');
    expect(given.calls).toBe(2);
    expect(given.asked.map(({ act }) => [act.kind, act.name, act.principal])).toEqual([['visit', url, 'ada']]);
    expect(given.asked[0]?.warnings).toContain('The call continues after this visit.');
  });

  test('is repeated when the user says so, where the server never does', async () => {
    await using given = new Tested({
      visiting: async () => {
        given.paid = true;
        return 'done';
      },
    });
    expect(await given.buy()).toBe('bought');
  });

  test('takes the question away from the user when the server has answered it', async () => {
    let left = false;
    await using given = new Tested({
      visiting: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            left = true;
            resolve('cancel');
          });
        }),
    });
    const buying = given.buy();
    await calm();
    given.paid = true;
    given.shop.line.notify(COMPLETE, { elicitationId: 'e0' });
    expect([await buying, left]).toEqual(['bought', true]);
  });

  test('is not repeated without consent', async () => {
    await using given = new Tested({ allow: false });
    expect(await given.buy()).toBe('failed: -32042');
    expect([given.visited, given.calls]).toEqual([[], 1]);
  });

  test('is not repeated where it names more than a hundred pages', async () => {
    const pages = Array.from({ length: 101 }, (_, i) => `${url}?${i}`);
    await using given = new Tested({ pages });
    expect(await given.buy()).toBe('failed: -32042');
    expect([given.visited, given.asked.length, given.calls]).toEqual([[], 0, 1]);
  });

  test('is not repeated when the user gives up', async () => {
    await using given = new Tested({ visiting: async () => 'cancel' });
    expect(await given.buy()).toBe('failed: -32042');
    expect(given.calls).toBe(1);
  });

  test('is repeated after all of the visits, and given up with the first that is refused', async () => {
    const other = 'https://pay.example.test/more';
    const turns: ('done' | 'cancel')[] = ['done', 'done', 'done', 'cancel'];
    await using given = new Tested({ pages: [url, other], visiting: async () => turns.shift() ?? 'cancel' });
    // Not paid, so it fails again, and is not repeated.
    expect(await given.buy()).toBe('failed: -32042');
    expect([given.visited, given.calls]).toEqual([[url, other, url, other], 2]);
  });

  test('is cancelled when no call waits for it any more', async () => {
    await using given = new Tested();
    const stop = new AbortController();
    const buying = given.buy(stop.signal);
    await calm();
    stop.abort();
    expect(await buying).toContain('was cancelled');
    expect(given.calls).toBe(1);
  });

  test.each([
    ['an address that is none', 'javascript:alert(1)'],
    ['an address with a shell in it', 'https://pay.example.test/$(id)'],
  ])('is not repeated for %s', async (_, page) => {
    await using given = new Tested({ pages: [page] });
    expect(await given.buy()).toBe('failed: -32042');
    expect(given.asked).toEqual([]);
  });

  test.each(['2025-06-18', '2026-07-28'])('has failed in %s, where that number means nothing', async (revision) => {
    await using given = new Tested({ revision });
    expect(await given.buy()).toBe('failed: -32042');
    expect(given.asked).toEqual([]);
  });
});

describe('a client', () => {
  const buying = async (required?: UrlRequiredHandler): Promise<readonly [string, number]> => {
    let calls = 0;
    const elicit = { url: () => ({ action: 'accept' }) as const, ...(required === undefined ? {} : { required }) };
    await using it = await opened(
      { revision: '2025-11-25', on: { 'tools/call': () => (++calls < 3 ? unpaid(url) : bought) } },
      { elicit, limits: { maxRounds: 5 } },
    );
    const told = await it.client.attempt('buy').then(
      ({ text }) => text,
      (error: unknown) => String(error),
    );
    return [told, calls];
  };

  test('repeats the request as often as the application says', async () => {
    expect(await buying(() => true)).toEqual(['bought', 3]);
    expect((await buying(() => false))[1]).toBe(1);
  });

  test('without anybody to ask tells that it failed', async () => {
    expect(await buying()).toEqual([expect.stringContaining('Visit first'), 1]);
  });
});
