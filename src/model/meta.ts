/** The grammar of `_meta` keys, and which of them belong to the protocol. */
import type { JsonObject } from '../jsonrpc/message.ts';

/** The error text for grammar faults: an example helps more than the rule. */
const example = 'expected a key such as "com.example/name"';
const label = /^[a-z]([a-z0-9-]*[a-z0-9])?$/i;
const name = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?)?$/i;
/** Keys without a prefix that the protocol defines. */
const taken: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);
const protocol = /^(?:[^./]*\.(?:modelcontextprotocol|mcp)\/|(?:[^/]*\.)?(?:modelcontextprotocol|mcp)\.)/i;

/** Why a key violates the grammar. */
export function metaKeyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  const labels = slash === -1 ? [] : key.slice(0, slash).split('.');
  return labels.every((one) => label.test(one)) && name.test(key.slice(slash + 1)) ? undefined : example;
}

/** Why the name of an extension is invalid. */
export function extensionFault(id: string): string | undefined {
  return id.includes('/') ? metaKeyFault(id) : example;
}

/**
 * Whether a key is reserved for the protocol. Revisions disagree on which label of a prefix counts (any label that another follows, or
 * the second one), so keys that are reserved by either rule count.
 */
export const isReserved = (key: string): boolean => (key.includes('/') ? protocol.test(key) : taken.has(key));

/** The members whose keys pass; undefined if none pass, and the same object if all do. */
export function filterMeta(meta: JsonObject, passes: (key: string) => boolean): JsonObject | undefined {
  let all = 0;
  let passed = 0;
  for (const key in meta) {
    all++;
    if (passes(key)) passed++;
  }
  if (passed === 0 || passed === all) return passed === 0 ? undefined : meta;
  // Not by assignment, which would set the prototype for `__proto__`.
  return Object.fromEntries(Object.entries(meta).filter(([key]) => passes(key)));
}

/** Why an author's `_meta` cannot be sent. */
export function metaFault(meta: JsonObject | undefined): string | undefined {
  for (const key of Object.keys(meta ?? {})) {
    const fault = metaKeyFault(key) ?? (isReserved(key) ? 'reserved for the protocol' : undefined);
    if (fault !== undefined) return `the _meta key "${key}": ${fault}`;
  }
  return undefined;
}
