/**
 * A server at the edge: a function from a request to a response, with nothing of Node in it. A runtime there starts copies of it as it
 * likes and sends each request to any of them; what has to outlast one is in the environment.
 *
 *   npx tsx examples/edge.ts
 */
import { createServer, httpHandler, type SessionStore, tool, type VersionedSession } from 'mooring';
import { connect } from 'mooring/client';
import * as z from 'zod';

// #region worker
/** What the platform hands over: a secret, and a store that all copies share. */
interface Env {
  readonly STATE_KEY: string;
  readonly SESSIONS: KeyValues;
}
interface KeyValues {
  get(key: string): Promise<string | null>;
  put(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

const order = tool({
  name: 'order',
  description: 'Orders flowers',
  input: z.object({ flower: z.string() }),
  async run({ flower }, ctx) {
    const card = await ctx.ask('card', `What is on the card with the ${flower}?`, z.object({ text: z.string() }));
    return card.accepted ? `${flower}, with "${card.value.text}"` : 'Nothing is ordered';
  },
});
const prices = tool({ name: 'prices', effects: 'read', run: () => 'Roses 3, tulips 2' });

/** As the platform loads it: `export default worker()`. */
export function worker(): { fetch(request: Request, env: Env): Promise<Response> } {
  let answer: ((request: Request) => Promise<Response>) | undefined;
  return {
    fetch(request, env) {
      answer ??= httpHandler(
        createServer({
          name: 'florist',
          version: '1.0.0',
          parts: [order, prices],
          // A call that stops to ask may be taken up by another copy: it must be able to open what this one sealed.
          stateKeys: [Uint8Array.from(atob(env.STATE_KEY), (letter) => letter.charCodeAt(0))],
        }),
        { allowedHosts: ['florist.example'], sessions: sessionsIn(env.SESSIONS) },
      );
      return answer(request);
    },
  };
}

/** Older clients begin with a handshake; what was agreed on is kept where every copy finds it. */
function sessionsIn(kept: KeyValues): SessionStore {
  const get = async (id: string): Promise<VersionedSession | undefined> =>
    JSON.parse((await kept.get(id)) ?? 'null') ?? undefined;
  return {
    get,
    // As near as this kind of store comes to comparing and writing at once.
    async put(id, stored, { expected }) {
      if ((await get(id))?.version !== expected) return undefined;
      const version = crypto.randomUUID();
      await kept.put(id, JSON.stringify({ ...stored, version }));
      return version;
    },
    async touch(id, usedAt) {
      const stored = await get(id);
      if (stored !== undefined) await kept.put(id, JSON.stringify({ ...stored, usedAt }));
    },
    delete: (id) => kept.delete(id),
  };
}
// #endregion

const kept = new Map<string, string>();
const env: Env = {
  STATE_KEY: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))),
  SESSIONS: {
    get: async (key) => kept.get(key) ?? null,
    put: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  },
};
const check = (is: unknown, expected: string): void => {
  if (is !== expected) throw new Error(`${is} is not ${expected}`);
};

/** The platform: two copies, each request to the next. */
const copies = [worker(), worker()];
let turn = 0;
const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const copy = copies[turn++ % copies.length] ?? worker();
  return copy.fetch(new Request(input, init), env);
};

const all = createServer({ name: 'any', version: '1', parts: [] }).revisions;
for (const revision of all) {
  await using client = await connect('https://florist.example/mcp', { revisions: [revision], fetch });
  for (let call = 1; call <= 4; call++) check((await client.call('prices')).text, 'Roses 3, tulips 2');
  console.log(`${revision}: any copy answers`);
}
await using client = await connect('https://florist.example/mcp', {
  fetch,
  elicit: () => ({ action: 'accept', content: { text: 'Get well' } }),
});
check((await client.call('order', { flower: 'Tulips' })).text, 'Tulips, with "Get well"');
check(String((await fetch('https://elsewhere.example/mcp', { method: 'POST' })).status), '403');
