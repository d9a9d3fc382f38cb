/** What a transport is given to serve, by programs that no compiler has checked. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { valueKind } from '../model/value-kind.ts';

/** Throws for what is not a server, such as a tool or the promise of a server. */
export function checkServable(what: string, server: unknown): void {
  if (isObject(server) && typeof server['open'] === 'function') return;
  throw badDefinition(what, `expected a server that createServer() or createGateway() made, not ${valueKind(server)}`);
}
