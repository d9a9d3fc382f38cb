/** The grammar of `_meta` keys, and which of them belong to the protocol. */
import type { JsonObject } from '../jsonrpc/message.ts';

/** Where the grammar asks for a letter or a digit, an example says more than the rule. */
const example = 'expected a key such as "com.example/name"';
const label = /^[a-z]([a-z0-9-]*[a-z0-9])?$/i;
const name = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?)?$/i;
/** Keys without a prefix that have a meaning of their own. */
const taken: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);
const protocol = /^(?:[^./]*\.(?:modelcontextprotocol|mcp)\/|(?:[^/]*\.)?(?:modelcontextprotocol|mcp)\.)/i;

/** What is wrong with a key by its grammar alone. */
export function metaKeyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  const labels = slash === -1 ? [] : key.slice(0, slash).split('.');
  return labels.every((one) => label.test(one)) && name.test(key.slice(slash + 1)) ? undefined : example;
}

/** What is wrong with the name of an extension. */
export function extensionFault(id: string): string | undefined {
  return id.includes('/') ? metaKeyFault(id) : example;
}

/**
 * Whether a prefix belongs to the protocol. The rule moved between revisions (any label followed by one more; then the
 * second label), so both readings are kept free.
 */
export const isReserved = (key: string): boolean => (key.includes('/') ? protocol.test(key) : taken.has(key));

/** The members whose keys pass; undefined where none do, and the same object where all do. */
export function filterMeta(meta: JsonObject, passes: (key: string) => boolean): JsonObject | undefined {
  let all = 0;
  let passed = 0;
  for (const key in meta) {
    all++;
    if (passes(key)) passed++;
  }
  if (passed === 0 || passed === all) return passed === 0 ? undefined : meta;
  // Not by assignment: `__proto__` is a key like any other.
  return Object.fromEntries(Object.entries(meta).filter(([key]) => passes(key)));
}

/** What keeps an author's `_meta` from being sent. */
export function metaFault(meta: JsonObject | undefined): string | undefined {
  for (const key of Object.keys(meta ?? {})) {
    const fault = metaKeyFault(key) ?? (isReserved(key) ? 'reserved for the protocol' : undefined);
    if (fault !== undefined) return `the _meta key "${key}": ${fault}`;
  }
  return undefined;
}
