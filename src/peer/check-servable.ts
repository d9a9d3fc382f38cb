/** Checks at run time that a transport is given a server, for applications without TypeScript. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { valueKind } from '../model/value-kind.ts';

/** Throws if the value is not a server, for example a tool or the promise of a server. */
export function checkServable(what: string, server: unknown): void {
  if (isObject(server) && typeof server['open'] === 'function') return;
  throw badDefinition(what, `expected a server that createServer() or createGateway() made, not ${valueKind(server)}`);
}
