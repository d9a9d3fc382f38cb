/** A model provider on loopback with all APIs that products use; its model follows the script. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { anthropic } from './anthropic.ts';
import type { Conversation, Loose, ModelReply } from './conversation.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { nextReply } from './script.ts';

export interface ScriptedProvider extends AsyncDisposable {
  readonly origin: string;
  /** All requests in order; one for an unknown path has no conversation. */
  readonly asked: readonly AskedModel[];
}

export interface AskedModel {
  readonly path: string;
  readonly body: Loose;
  readonly conversation?: Conversation;
  readonly reply?: ModelReply;
}

const dialects = [anthropic, openaiChat, openaiResponses, gemini];

export async function scriptedProvider(): Promise<ScriptedProvider> {
  const asked: AskedModel[] = [];
  const server = createServer((request, response) => {
    answer(request, response, asked).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, asked: AskedModel[]): Promise<void> {
  const { pathname: path } = new URL(request.url ?? '/', 'http://localhost');
  const sent = await text(request);
  const body = sent === '' ? {} : (JSON.parse(sent) as Loose); // every product sends JSON
  const dialect = dialects.find((one) => request.method === 'POST' && one.answers(path));
  if (dialect === undefined) {
    asked.push({ path: `${request.method} ${path}`, body });
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Not found"}}');
    return;
  }
  const conversation = dialect.read(body);
  const reply = nextReply(conversation);
  asked.push({ path, body, conversation, reply });
  const written = dialect.write(reply, { body, path, id: `${asked.length}` });
  response.writeHead(200, { 'content-type': written.type, 'cache-control': 'no-store' }).end(written.body);
}
