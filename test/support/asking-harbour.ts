/** A server whose tools ask in every way, and a client that answers and records the questions. */
import type { ConnectOptions } from '../../src/client/index.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import type { Context } from '../../src/server/context.ts';

const field = (name: string) =>
  ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }) as const;
const said = async (ctx: Context, key: string): Promise<string> => {
  const answer = await ctx.ask(key, `Which ${key}?`, field(key));
  return answer.accepted ? String((answer.value as Record<string, unknown>)[key]) : answer.action; // as the form says
};
const message = { role: 'user', content: { type: 'text', text: 'Greet' } } as const;

/** Tools by name, and what each returns with the answers of `answering()`. */
const askingTools: Readonly<Record<string, (ctx: Context) => Promise<string>>> = {
  once: (ctx) => said(ctx, 'ship'),
  twice: async (ctx) => `${await said(ctx, 'ship')} ${await said(ctx, 'port')}`,
  both: async (ctx) => (await Promise.all([said(ctx, 'ship'), said(ctx, 'port')])).join(' '),
  declined: (ctx) => said(ctx, 'decline'),
  cancelled: (ctx) => said(ctx, 'cancel'),
  visit: async (ctx) => (await ctx.ask('pay', 'Pay', { url: 'https://pay.example/1' })).action,
  sample: async (ctx) => {
    const { content } = await ctx.sample('greet', { messages: [message], maxTokens: 5 });
    return JSON.stringify(content);
  },
  roots: async (ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' '),
};

export const askingHarbour = (): Server =>
  createServer({
    name: 'harbour',
    version: '1',
    onError: () => undefined,
    onWarning: () => undefined,
    parts: Object.entries(askingTools).map(([name, run]) => tool({ name, run: (_input, ctx) => run(ctx) })),
  }) as Server;

export interface AnsweringCaller {
  readonly options: ConnectOptions;
  /** The messages of forms and visits, in order. */
  readonly asked: string[];
}

/** Answers "Which ship?" with "ship!", and the others as their names say. */
export function answering(): AnsweringCaller {
  const asked: string[] = [];
  const options: ConnectOptions = {
    onWarning: () => undefined,
    elicit: {
      form: ({ message: text, requestedSchema }) => {
        asked.push(text);
        const [name = ''] = Object.keys(requestedSchema.properties);
        if (name === 'decline' || name === 'cancel') return { action: name };
        return { action: 'accept', content: { [name]: `${name}!` } };
      },
      url: ({ message: text, url }) => {
        asked.push(`${text} ${url}`);
        return { action: 'accept' };
      },
    },
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Ahoy' }, model: 'm' }),
    roots: [{ uri: 'file:///a' }],
  };
  return { options, asked };
}
