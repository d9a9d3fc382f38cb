/**
 * HTTP requests on Node, protected against DNS rebinding: a name is resolved once, all its addresses are checked, and the connection is
 * pinned to them.
 */
import { lookup as dns } from 'node:dns/promises';
import { type IncomingMessage, request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { HttpRequest, HttpResponse, HttpSender } from './http-sender.ts';

/** Resolves a name to all its addresses. */
export type HostLookup = (hostname: string) => Promise<readonly string[]>;

export function nodeSender(lookup: HostLookup = systemLookup): HttpSender {
  return async (request) => {
    const options = isLiteral(request.url) ? {} : { lookup: pinnedLookup(await resolveChecked(request, lookup)) };
    const response = await sendRequest(request, options);
    const { headers } = response;
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    return { status: response.statusCode ?? 0, header, body: decodeBody(response) };
  };
}

const systemLookup: HostLookup = async (hostname) => (await dns(hostname, { all: true })).map(({ address }) => address);

/** Whether the host is an IP address, which needs no DNS. */
const isLiteral = ({ hostname }: URL): boolean => isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;

async function resolveChecked({ url, check }: HttpRequest, lookup: HostLookup): Promise<readonly string[]> {
  const addresses = await lookup(url.hostname);
  if (addresses.length === 0) throw new Error(`${url.hostname} has no address`);
  for (const address of addresses) check(address);
  return addresses;
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all: several }, callback) => {
    if (several === true) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

function sendRequest(request: HttpRequest, options: RequestOptions): Promise<IncomingMessage> {
  const { method, url, headers, body, signal } = request;
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const sent = { ...headers, 'user-agent': 'mooring' };
    const outgoing = send(url, { ...options, method, headers: sent, signal, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      // The reader of the body gets the error. Without a reader, an unhandled 'error' event would crash the process.
      response.on('error', () => undefined);
      resolve(response);
    });
    outgoing.end(body);
  });
}

/** Decompresses the body: some servers compress although the request has no `accept-encoding`. */
function decodeBody(response: IncomingMessage): HttpResponse['body'] {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity') return response;
  const decoder = decoders.get(encoding);
  if (decoder === undefined) throw new Error(`the content encoding ${JSON.stringify(encoding)} is not supported`);
  return pipeline(response, decoder(), () => undefined);
}

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
