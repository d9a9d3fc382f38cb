/** Checks that headers equal the parts of the body that they repeat for proxies. */
import type { RpcRequest } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { argumentAt, decodeHeader } from '../../model/header-value.ts';
import {
  METHOD_HEADER,
  type MirroredHeader,
  NAME_HEADER,
  nameParams,
  PARAM_PREFIX,
} from '../../model/mirrored-headers.ts';
import type { Servable } from '../../peer/exchange.ts';
import type { HttpView } from './view.ts';

export function versionMismatch(view: HttpView, claimed: string): string | undefined {
  const version = view.header('mcp-protocol-version');
  if (version === claimed) return undefined;
  return version === undefined
    ? 'MCP-Protocol-Version is missing; it must repeat the version in _meta'
    : `MCP-Protocol-Version must be ${JSON.stringify(claimed)}, as _meta says`;
}

/** Describes the first header that differs from the body; undefined if none does. */
export function headerMismatch(
  view: HttpView,
  request: RpcRequest,
  server: Servable,
  auth?: AuthInfo,
): string | undefined {
  const { method } = request;
  if (view.header(METHOD_HEADER) !== method) return `Mcp-Method must be ${JSON.stringify(method)}, as the body says`;
  const mirrored = server.mirrored?.(request, auth) ?? [];
  const member = nameParams.get(method) ?? server.nameParam?.(method);
  return nameMismatch(view, request, member) ?? paramMismatch(view, request, mirrored);
}

function nameMismatch(view: HttpView, { params }: RpcRequest, member: string | undefined): string | undefined {
  const name = member === undefined ? undefined : params?.[member];
  // If the body lacks the name, the server itself rejects the request.
  if (typeof name !== 'string') return undefined;
  const header = view.header(NAME_HEADER);
  if (header !== undefined && decodeHeader(header) === name) return undefined;
  return `Mcp-Name must be ${JSON.stringify(name)}, as the body says`;
}

function paramMismatch(
  view: HttpView,
  { params }: RpcRequest,
  mirrored: readonly MirroredHeader[],
): string | undefined {
  for (const { name, path } of mirrored) {
    const found = argumentAt(params?.['arguments'], path);
    // Objects, arrays and null cannot be repeated in a header; the input schema of the tool rejects them.
    const value = typeof found === 'object' ? undefined : found;
    const header = view.header(name);
    if (header === undefined && value === undefined) continue;
    const text = header === undefined ? undefined : decodeHeader(header);
    if (text === undefined || !isSameValue(text, value)) {
      return `Mcp-Param-${name.slice(PARAM_PREFIX.length)} must repeat the argument "${path.join('.')}"`;
    }
  }
  return undefined;
}

/** Compares numbers by value, because `42.0` equals `42`; integers only if a double can represent them exactly. */
function isSameValue(text: string, value: unknown): boolean {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  if (typeof value === 'number') return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) && Number(text) === value;
  return typeof value === 'string' || typeof value === 'boolean' ? text === String(value) : false;
}
