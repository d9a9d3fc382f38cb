/** Lists that a server advertises and does not implement, as several published servers do: nothing is missing but the method. */
import { RpcError } from '../errors.ts';
import { METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import { lists } from './decode-lists.ts';

export const isMissingList = (error: unknown): boolean => error instanceof RpcError && error.code === METHOD_NOT_FOUND;

/** Undefined for templates: they have no capability of their own, and a server without any need not know the method. */
export const missingListFault = (method: string): string | undefined =>
  method === lists.templates.method
    ? undefined
    : `${method} is not implemented, although the server advertises ${method.split('/', 1)[0]}`;
