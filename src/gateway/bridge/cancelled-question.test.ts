/** Questions that end without an answer: the caller that was asked is told, over every transport. */
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../client/index.ts';
import { type ConnectOptions, connect } from '../../connect/index.ts';
import { createServer, type Layer, tool, use } from '../../index.ts';
import { isRequest, request, success } from '../../jsonrpc/message.ts';
import type { Servable } from '../../peer/exchange.ts';
import { Deferred } from '../../peer/wait.ts';
import { serveHttp } from '../../transport/node.ts';
import { createGateway } from '../gateway.ts';

const form = { message: 'Which ship?', requestedSchema: { type: 'object', properties: { ship: { type: 'string' } } } };
const done = { content: [{ type: 'text', text: 'done without you' }] };

async function overHttp(server: Servable, options: ConnectOptions): Promise<Client> {
  const listener = await serveHttp(server, { port: 0 });
  onTestFinished(() => listener.close(0));
  return connect(listener.url, options);
}

test.each([
  ['in memory', connect],
  ['over HTTP', overHttp],
] as const)(
  'a question that its server cancels ends at the caller, and the call goes on (%s)',
  async (_, connectTo) => {
    const [asked, ended] = [new Deferred<void>(), new Deferred<string>()];
    /** Asks, cancels its question, and answers the call once the caller has noticed. */
    const fickle: Layer = (next) => async (message, link) => {
      if (!isRequest(message) || message.method !== 'tools/call') return next(message, link);
      const over = new AbortController();
      const answer = link.ask(request(0, 'elicitation/create', form), over.signal);
      await asked.promise;
      over.abort(new Error('The ship has sailed'));
      await expect(answer).rejects.toThrow('The ship has sailed');
      await ended.promise;
      return success(message.id, done);
    };
    const dock = createServer({ name: 'dock', version: '1', parts: [tool({ name: 'moor', run: () => 'moored' })] });
    const upstream = { server: use(dock, fickle), revisions: ['2025-11-25'] };
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { dock: upstream } });
    await using client = await connectTo(gateway, {
      revisions: ['2025-11-25'],
      elicit: (_form, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended.resolve(String(signal.reason));
            // An answer that comes too late is dropped.
            resolve({ action: 'accept', content: { ship: 'Beagle' } });
          });
          asked.resolve();
        }),
    });
    expect((await client.call('dock__moor')).text).toBe('done without you');
    expect(await ended.promise).toContain('The server cancelled its question');
  },
);
