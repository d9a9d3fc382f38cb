// A server that asks every kind of question, and has a template with two variables, and a task. Uses the built package.
import * as z from 'zod';
import { createServer, resource, tool } from '../../../dist/index.js';
import { serveStdio } from '../../../dist/transport/stdio.js';

const books = { poems: ['Dawn', 'Dusk'], maps: ['Delta', 'Fjords'] };
const startingWith = (names, typed) => names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
const book = resource({
  uri: 'library://{shelf}/{book}',
  name: 'book',
  description: 'One book',
  mimeType: 'text/plain',
  complete: {
    shelf: (typed) => startingWith(Object.keys(books), typed),
    book: (typed, { shelf }) => startingWith(books[shelf] ?? [], typed),
  },
  read: ({ shelf, book: name }) => (books[shelf]?.includes(name) ? `The text of ${name}` : undefined),
});
const said = ({ action, value }) => `${action} ${JSON.stringify(value ?? {})}`;
const form = tool({
  name: 'form',
  description: 'Asks for a name',
  run: async (_, ctx) => said(await ctx.ask('who', 'What is your name?', z.object({ name: z.string() }))),
});
const visit = tool({
  name: 'visit',
  description: 'Sends the user to a page',
  run: async (_, ctx) => said(await ctx.ask('card', 'Enter your card', { url: 'https://pay.example/checkout' })),
});
const think = tool({
  name: 'think',
  description: 'Asks a model',
  async run(_, ctx) {
    const content = { type: 'text', text: 'Two and two?' };
    const reply = await ctx.sample('thought', { messages: [{ role: 'user', content }], maxTokens: 10 });
    return `model ${JSON.stringify(reply.content)}`;
  },
});
const folders = tool({
  name: 'folders',
  description: 'Asks for the folders of the user',
  run: async (_, ctx) => `roots ${JSON.stringify(await ctx.roots())}`,
});
const render = tool({
  name: 'render',
  description: 'Renders the scene, as a task',
  task: true,
  async run(_, ctx) {
    ctx.progress(1, 2, 'half of the frames');
    return (await ctx.confirm('price', 'It costs 9. Go on?')) ? 'Rendered' : 'Not rendered';
  },
});
const pack = tool({
  name: 'pack',
  description: 'Packs a list of anything',
  input: z.object({ things: z.array(z.unknown()) }),
  run: ({ things }) => `packed ${JSON.stringify(things)}`,
});

await serveStdio(
  createServer({
    name: 'asks',
    version: '1.0.0',
    parts: [book, form, visit, think, folders, render, pack],
    tasks: true,
  }),
);
