import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createServer, tool } from '../../src/index.ts';
import { nodeHandler } from '../../src/transport/node.ts';
import { compilePrograms } from '../support/compile-programs.ts';
import { soon } from '../support/soon.ts';

test('1,000 conversations, 1,000 waiting calls and 10,000 sessions of a gateway keep within their memory, and nothing is left when they expire', async () => {
  const server = createServer({
    ...{ name: 'dock', version: '1', onError: () => undefined },
    parts: [
      tool({ name: 'now', description: 'Now', run: () => '12:00' }),
      tool({ name: 'ask', description: 'Asks', run: async (_, ctx) => String(await ctx.confirm('sure', 'Sure?')) }),
    ],
  });
  const handler = nodeHandler(server, { maxSessionsPerCaller: 10_000, maxCalls: 10_000 });
  let [begun, ended] = [0, 0];
  const http = createHttpServer((request, response) => {
    // Never responds.
    if (request.url === '/hang') return;
    if (request.method === 'DELETE') ended++;
    else if (request.headers['mcp-session-id'] === undefined) begun++;
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo; // it listens on a port
  // Compiled, because functions of a TypeScript loader take more memory.
  const folder = '.cache/gateway-load';
  await compilePrograms({ load: 'test/fixtures/gateway-load.ts' }, folder);
  const args = ['--expose-gc', `${folder}/load.mjs`, `http://127.0.0.1:${port}/mcp`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const seen = JSON.parse(stdout) as Load; // what the program prints
  // Includes warm-up callers, and the conversation for lists.
  expect(seen).toMatchObject({ conversations: 1_021, waiting: 1_000, sessions: 10_000 });
  const { conversation, waiting, session } = seen.kibibytes;
  expect(conversation).toBeLessThan(32);
  expect(waiting).toBeLessThan(20);
  expect(session).toBeLessThan(1);
  expect(seen.left).toMatchObject({ waiting: 0, open: 0, sessionStatus: 404 });
  expect(seen.left.conversations).toBeLessThanOrEqual(1);
  // More than this would remain if one kind leaked.
  expect(seen.left.bytes).toBeLessThan(8 * 1024 * 1024);
  await soon(() => expect(ended).toBeGreaterThanOrEqual(begun - 1));
  http.closeAllConnections();
  await handler.close(0);
  http.close();
}, 900_000);

interface Load {
  readonly conversations: number;
  readonly waiting: number;
  readonly sessions: number;
  /** Heap per instance of each kind. */
  readonly kibibytes: { readonly conversation: number; readonly waiting: number; readonly session: number };
  readonly left: {
    readonly waiting: number;
    readonly conversations: number;
    readonly open: number;
    readonly bytes: number;
  };
}
