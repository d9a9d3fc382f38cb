/** A server with one tool that asks, and a client that speaks the revision in which its handler is replayed. */
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { Context } from '../../src/server/context.ts';
import { createServer } from '../../src/server/server.ts';
import type { ServerSpec } from '../../src/server/settings.ts';
import { tool } from '../../src/server/tool.ts';
import { type Answerer, open, type Raw, type RawOptions } from './raw.ts';

export type Run = (ctx: Context) => Promise<string>;
interface AskingOptions extends RawOptions {
  readonly spec?: Partial<ServerSpec>;
}
export const reported: Error[] = [];
export const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
export const nameForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const message = { role: 'assistant', content: { type: 'text', text: 'Ahoy' }, model: 'm' };
export const answer: Answerer = (method, _params, key) => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] };
  if (method === 'sampling/createMessage') return message;
  return { action: 'accept', content: { name: key, confirm: true } };
};

export function asking(run: Run, { spec, ...options }: AskingOptions = {}): Promise<Raw> {
  const ask = tool({ name: 'ask', input: { type: 'object' }, run: (_input, ctx) => run(ctx) });
  const onError = (error: unknown): void => void reported.push(error as Error); // only errors are thrown here
  const server = createServer({
    name: 'dock',
    version: '1',
    onError,
    onWarning: () => undefined,
    ...spec,
    parts: [ask],
  });
  reported.length = 0;
  return open(server, { capabilities: all, answer, ...options });
}
export const params = { name: 'ask', arguments: { a: 1 } };
export const call = (raw: Raw, more: JsonObject = {}): Promise<JsonObject> =>
  raw.result('tools/call', { ...params, ...more });
export const askName = async (ctx: Context, key: string): Promise<string> =>
  String((await ctx.ask(key, `${key}?`, nameForm)).value?.['name']);
