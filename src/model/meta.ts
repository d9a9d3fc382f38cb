/** The grammar of `_meta` keys, and which of them belong to the protocol. */
import type { JsonObject } from '../jsonrpc/message.ts';

const label = /^[a-z]([a-z0-9-]*[a-z0-9])?$/i;
const name = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?)?$/i;
/** Keys without a prefix that have a meaning of their own. */
const taken: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);
const protocol: ReadonlySet<string> = new Set(['modelcontextprotocol', 'mcp']);

/** What is wrong with a key by its grammar alone. */
export function metaKeyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  const labels = slash === -1 ? [] : key.slice(0, slash).split('.');
  if (!labels.every((one) => label.test(one))) {
    return `the prefix of "${key}" must be dot-separated labels, each starting with a letter`;
  }
  return name.test(key.slice(slash + 1)) ? undefined : `the name in "${key}" must begin and end with a letter or digit`;
}

/** What is wrong with the name of an extension. */
export function extensionFault(id: string): string | undefined {
  if (id.includes('/')) return metaKeyFault(id);
  return 'without a prefix, as in "com.example/name", two extensions could share an id';
}

/**
 * Whether a prefix belongs to the protocol. The rule moved between revisions (any label followed by one more; then the
 * second label), so both readings are kept free.
 */
export function isReserved(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash === -1) return taken.has(key);
  const labels = key.slice(0, slash).toLowerCase().split('.');
  return labels.some((one, i) => protocol.has(one) && (i === 1 || i < labels.length - 1));
}

/** What keeps an author's `_meta` from being sent. */
export function metaFault(meta: JsonObject | undefined): string | undefined {
  for (const key of Object.keys(meta ?? {})) {
    const fault =
      metaKeyFault(key) ?? (isReserved(key) ? `the _meta key "${key}" is reserved for the protocol` : undefined);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
