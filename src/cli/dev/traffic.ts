/** Request log of `mooring dev`: time, client, method, tool, duration, outcome and size of the response. */
import { Buffer } from 'node:buffer';
import { isObject, isRequest, type JsonObject, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { CLIENT_INFO, LISTEN } from '../../model/names.ts';
import { maskSecrets } from '../../model/secrets.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { shorten } from '../chat/shorten.ts';
import type { CommandContext } from '../command.ts';

/** Names are untrusted text of clients. */
const MAX_NAME = 40;

/** Wraps a server and logs each request to stderr. Leaves out the arguments, which can have secrets. */
export function withTraffic(server: Servable, by: CommandContext): Servable {
  const { clock } = by.shell;
  return {
    ...(server.revisions === undefined ? {} : { revisions: server.revisions }),
    prepare: () => server.prepare?.(),
    mirrored: (request, auth) => server.mirrored?.(request, auth) ?? [],
    nameParam: (method) => server.nameParam?.(method),
    scopes: (request) => server.scopes?.(request) ?? [],
    open(push, session) {
      const served = server.open(push, session);
      return {
        close: () => served.close(),
        async exchange(message, link) {
          if (!isRequest(message)) return served.exchange(message, link);
          const begun = clock.now();
          let response: RpcResponse | undefined;
          try {
            response = await served.exchange(message, link);
            return response;
          } finally {
            const client = clientOf(message, session);
            logRequest(by, { request: message, response, client, ms: Math.round(clock.now() - begun) });
          }
        },
      };
    },
  };
}

interface ServedRequest {
  readonly request: RpcRequest;
  readonly response: RpcResponse | undefined;
  readonly client: string;
  readonly ms: number;
}

function logRequest({ print, shell }: CommandContext, { request, response, client, ms }: ServedRequest): void {
  const { method, params = {} } = request;
  const subject = subjectOf(params);
  const outcome = response === undefined && method === LISTEN ? 'closed' : outcomeOf(response);
  const bytes = response === undefined ? 0 : Buffer.byteLength(JSON.stringify(response));
  print.event({ event: 'request', client, method, subject, ms, outcome, bytes });
  const time = print.style('dim', new Date(shell.clock.wall()).toTimeString().slice(0, 8), 'stderr');
  const who = print.style('cyan', shortName(client), 'stderr');
  const what = `${shortName(method)}${subject === undefined ? '' : ` ${shortName(subject)}`}`;
  const ended = print.style(successes.has(outcome) ? 'green' : 'red', outcome, 'stderr');
  print.note(`${time} ${who} ${what}  ${ms} ms  ${ended}  ${sizeOf(bytes)}`);
}

const successes: ReadonlySet<string> = new Set(['ok', 'asks', 'closed']);

const shortName = (name: string): string => shorten(name, MAX_NAME);

/** The client's self-reported name: from this request, or from the session. */
function clientOf({ params = {} }: RpcRequest, session: PeerSession): string {
  const meta = params['_meta'];
  const named = [isObject(meta) ? meta[CLIENT_INFO] : undefined, params['clientInfo'], session.caller?.info];
  const info = named.find((one) => isObject(one) && typeof one['name'] === 'string');
  return isObject(info) ? String(info['name']) : 'client';
}

/** The name of the tool or prompt, or the URI of the resource. */
function subjectOf({ name, uri }: JsonObject): string | undefined {
  if (typeof name === 'string') return name;
  return typeof uri === 'string' ? maskSecrets(uri) : undefined;
}

/** Leaves out error messages, which can repeat arguments. */
function outcomeOf(response: RpcResponse | undefined): string {
  if (response === undefined) return 'cancelled';
  if ('error' in response) return `error ${response.error.code}`;
  const { result } = response;
  if (result['isError'] === true) return 'tool failed';
  return result['resultType'] === 'input_required' ? 'asks' : 'ok';
}

const sizeOf = (bytes: number): string => (bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`);
