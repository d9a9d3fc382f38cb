/** A server that uses everything a web framework could get in the way of, and the checks that it did not. */
import { strict as assert } from 'node:assert';
import { createServer, tool } from 'mooring';
import { connect } from 'mooring/client';
import * as z from 'zod';

const hello = tool({ name: 'hello', input: z.object({ name: z.string() }), run: ({ name }) => `Hello, ${name}` });
const count = tool({
  name: 'count',
  input: z.object({ to: z.number().int() }),
  async run({ to }, ctx) {
    for (let n = 1; n <= to; n++) {
      ctx.progress(n, to);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    return `Counted to ${to}`;
  },
});
const sure = tool({
  name: 'sure',
  run: async (_, ctx) => ((await ctx.confirm('sure', 'Sure?')) ? 'Sure' : 'Not sure'),
});
const learn = tool({
  name: 'learn',
  run() {
    greeter.remove('learnt');
    greeter.add(tool({ name: 'learnt', run: () => 'New' }));
    return 'Learnt';
  },
});
export const greeter = createServer({ name: 'greeter', version: '1.0.0', parts: [hello, count, sure, learn] });

/** A lone answer, a stream of progress, a question and news, in every revision. */
export async function carriesEverything(url: string): Promise<void> {
  for (const revision of greeter.revisions) {
    await using client = await connect<typeof greeter>(url, {
      revisions: [revision],
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
    });
    assert.equal((await client.call('hello', { name: 'Ada' })).text, 'Hello, Ada');
    const seen: number[] = [];
    await client.call('count', { to: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
    assert.deepEqual(seen, [1, 2, 3]);
    const { text } = await client.attempt('sure');
    assert.match(text, greeter.revisions.slice(0, 3).includes(revision) ? /^Sure$/ : /does not support/);
    await using watch = client.watch({ tools: true });
    await watch.granted;
    await client.call('learn');
    assert.deepEqual(await watch.nextChange(), { kind: 'tools' });
    console.log(`${revision}: answers, progress${text === 'Sure' ? ', questions' : ''}, news`);
  }
}
