/**
 * One story on every transport and in every revision: in memory, through a process of its own, over HTTP, and over HTTP+SSE in the
 * revision that had it. Stories use it to check themselves; a server of yours needs none of this.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Part, Server } from 'mooring';
import { type Client, type ConnectOptions, connect } from 'mooring/client';
import { serveHttp } from 'mooring/node';
import { serveStdio } from 'mooring/stdio';

export interface Story<P extends readonly Part[]> extends ConnectOptions {
  readonly server: Server<P>;
  /** `import.meta.url` of the story: it is started again, with `--stdio`, to serve. */
  readonly file: string;
}

/** Runs the body with a client for each place where the server can be met; what fails says where. */
export async function everywhere<P extends readonly Part[]>(
  { server, file, ...options }: Story<P>,
  body: (client: Client<Server<P>>, place: string) => Promise<void>,
): Promise<void> {
  if (process.argv.includes('--stdio')) {
    await serveStdio(server);
    process.exit(0);
  }
  const listener = await serveHttp(server, { port: 0, sse: '/sse' });
  const oldest = server.revisions.at(-1);
  const command = { command: process.execPath, args: [...process.execArgv, fileURLToPath(file), '--stdio'] };
  for (const revision of server.revisions) {
    const places = new Map<string, Server<P> | string | typeof command>([
      ['in memory', server],
      ['over stdio', command],
      ['over HTTP', listener.url],
      ...(revision === oldest ? [['over HTTP+SSE', listener.url.replace(/mcp$/, 'sse')] as const] : []),
    ]);
    for (const [transport, target] of places) {
      const place = `${revision} ${transport}`;
      try {
        const timeouts = { probeTimeoutMs: 30_000, connectTimeoutMs: 60_000 }; // a busy machine is slow to start a process
        await using client = await connect<Server<P>>(target, { ...options, revisions: [revision], ...timeouts });
        await body(client, place);
      } catch (cause) {
        throw new Error(`${place}: ${cause instanceof Error ? cause.message : cause}`, { cause });
      }
    }
    console.log(`${revision}: ${[...places.keys()].join(', ')}`);
  }
  await listener.close();
}
