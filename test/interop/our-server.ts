/**
 * Our implementation of the server that all peers implement here. Arguments are the revisions; none means all. With `--http`
 * first, it serves HTTP instead of stdio and prints its URL.
 */
import * as z from 'zod';
import { type Content, createServer, prompt, resource, ToolError, tool } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { serveStdio } from '../../src/transport/stdio.ts';

const overHttp = process.argv[2] === '--http';
const revisions = process.argv.slice(overHttp ? 3 : 2);
let aborted = 0;
let release = (): void => undefined;

const tools = [
  tool({
    name: 'add',
    description: 'Adds',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    text: ({ sum }) => `${sum}`,
    run: ({ a, b }) => ({ sum: a + b }),
  }),
  tool({
    name: 'count',
    input: z.object({ to: z.int() }),
    async run({ to }, ctx) {
      for (let done = 1; done <= to; done++) ctx.progress(done, to, `${done} of ${to}`);
      // The official clients lose progress that arrives together with the response, so the response waits.
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return `counted to ${to}`;
    },
  }),
  tool({
    name: 'release',
    run() {
      release();
      return 'released';
    },
  }),
  tool({
    name: 'wait',
    async run(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted++;
      return 'nobody hears this';
    },
  }),
  tool({
    name: 'doze',
    async run(_, { http }) {
      http?.release(100);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return http === undefined ? 'slept' : 'hung up and slept';
    },
  }),
  tool({ name: 'aborted', run: () => `${aborted}` }),
  tool({
    name: 'fail',
    run() {
      throw new ToolError('The crane is stuck');
    },
  }),
  tool({
    name: 'chatter',
    run(_, ctx) {
      ctx.log('debug', 'whisper');
      ctx.log('warning', 'shout');
      return 'said';
    },
  }),
  tool({
    name: 'berths',
    output: z.array(z.string()),
    run: () => ['north', 'south'],
  }),
  tool({
    name: 'cargo',
    run: (): Content[] => [
      { type: 'text', text: 'crates' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'quay://log', name: 'log' },
      { type: 'resource', resource: { uri: 'quay://log', text: 'All quiet' } },
    ],
  }),
  tool({
    name: 'sign',
    run: async (_, ctx) => (await ctx.ask('page', 'Sign the manifest', { url: 'https://quay.example/sign' })).action,
  }),
  tool({
    name: 'introduce',
    async run(_, ctx) {
      const who = z.object({ name: z.string().min(1), crew: z.int().min(1) });
      const { action, value } = await ctx.ask('who', 'Who is there?', who);
      return JSON.stringify({ action, content: value });
    },
  }),
  tool({
    name: 'think',
    async run(_, ctx) {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Which berth?' } }];
      const { content, model } = await ctx.sample('thought', { messages, maxTokens: 10 });
      const [block] = [content].flat();
      return `${model}: ${block?.type === 'text' ? block.text : block?.type}`;
    },
  }),
  tool({
    name: 'folders',
    run: async (_, ctx) => (await ctx.roots()).map((root) => root.uri).join(' '),
  }),
  tool({
    name: 'grow',
    run() {
      quay.add(tool({ name: 'grown', run: () => 'new here' }));
      return 'grown';
    },
  }),
  tool({
    name: 'touch',
    input: z.object({ uri: z.string() }),
    run({ uri }) {
      quay.updated(uri);
      return 'touched';
    },
  }),
];

const quay = createServer({
  name: 'quay-mooring',
  version: '1.0.0',
  title: 'Quay',
  instructions: 'Berth before you unload.',
  pageSize: 4,
  ...(revisions.length === 0 ? {} : { revisions }),
  parts: [
    ...tools,
    resource({ uri: 'quay://log', name: 'log', mimeType: 'text/plain', read: () => 'All quiet' }),
    resource({ uri: 'quay://flag', name: 'flag', mimeType: 'image/png', read: () => new Uint8Array([1, 2, 3]) }),
    resource({
      uri: 'quay://berth/{id}',
      name: 'berth',
      complete: { id: (value) => ['north', 'south'].filter((one) => one.startsWith(value)) },
      read: ({ id }) => `Berth ${id}`,
    }),
    prompt({ name: 'greet', args: z.object({ who: z.string() }), render: ({ who }) => `Ahoy, ${who}!` }),
    prompt({ name: 'farewell', render: () => 'Fair winds.' }),
  ],
});

if (overHttp) console.log((await serveHttp(quay, { port: 0, sse: '/sse' })).url);
else await serveStdio(quay);
