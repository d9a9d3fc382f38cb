/** What a caller may send along as `_meta`: keys of its own, and the trace that a request belongs to. */
import { McpError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { isReserved, metaKeyFault } from '../model/meta.ts';

/** Keys of the protocol's that are nevertheless for whoever traces the call, and what the W3C wants them to look like. */
const member = '[^\\s=,]+=[^,=]*';
const traces: ReadonlyMap<string, RegExp> = new Map([
  ['traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/],
  ['tracestate', new RegExp(`^${member}(,${member})*$`)],
  ['baggage', new RegExp(`^${member}(,${member})*$`)],
]);

export function checkMeta(meta: JsonObject): void {
  for (const [key, value] of Object.entries(meta)) {
    const why = traces.has(key) ? traceFault(key, value) : (metaKeyFault(key) ?? ownerFault(key));
    if (why !== undefined) throw new McpError('MCP_BAD_DEFINITION', { what: `The _meta key "${key}"`, why });
  }
}

const ownerFault = (key: string): string | undefined => (isReserved(key) ? 'it belongs to the protocol' : undefined);

const traceFault = (key: string, value: unknown): string | undefined =>
  typeof value === 'string' && traces.get(key)?.test(value) === true ? undefined : 'its value is not what the W3C says';
