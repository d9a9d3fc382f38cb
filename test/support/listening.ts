/** Serves a function of `Request` on a loopback socket. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthorizationServer, type AuthorizationServerOptions } from './authorization-server.ts';

export interface Listening extends AsyncDisposable {
  readonly origin: string;
}

type Handler = (request: Request) => Promise<Response>;

/** `make` gets the origin, which is known once the socket listens. */
export async function listening(make: (origin: string) => Handler): Promise<Listening> {
  let handler: Handler | undefined;
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body: Uint8Array[] = [];
      for await (const chunk of incoming) body.push(chunk as Uint8Array); // no encoding is set
      const method = incoming.method ?? 'GET';
      const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
        (values ?? []).map((value): [string, string] => [name, value]),
      );
      const sent = method === 'GET' || method === 'HEAD' ? {} : { body: Buffer.concat(body) };
      const response = await handler?.(new Request(new URL(incoming.url ?? '/', origin), { method, headers, ...sent }));
      outgoing.writeHead(response?.status ?? 500, Object.fromEntries(response?.headers ?? []));
      outgoing.end(new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer(0)));
    })().catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  handler = make(origin);
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An authorization server on a socket, at this path. */
export async function listeningAuthorizationServer(
  options: Omit<AuthorizationServerOptions, 'issuer'> & { readonly path?: string } = {},
): Promise<Listening & { readonly auth: AuthorizationServer }> {
  const { path = '', ...rest } = options;
  let auth: AuthorizationServer | undefined;
  const socket = await listening((origin) => {
    auth = new AuthorizationServer({ ...rest, issuer: `${origin}${path}` });
    return auth.fetch;
  });
  if (auth === undefined) throw new Error('nobody listens');
  return { ...socket, auth, [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose]() };
}
