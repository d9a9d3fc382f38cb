/** Rejects wrong request arguments and options, for callers without TypeScript. */
import { badDefinition } from '../errors.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { CallToolOptions } from './outgoing-call.ts';
import type { CachedRequestOptions, CompleteOptions } from './types.ts';

type AnyOptions = CallToolOptions & CachedRequestOptions & CompleteOptions;

const optionNames: OptionNames<AnyOptions> = {
  ...{ signal: true, timeoutMs: true, maxTimeoutMs: true, onProgress: true, onTask: true, meta: true, fresh: true },
  ...{ context: true },
};

/** Rejects unknown options. The official SDK's `timeout`, for example, would otherwise be ignored silently. */
export function checkRequestOptions(options: AnyOptions): void {
  // Fast path: most requests have no options.
  if (typeof options !== 'object' || Object.keys(options).length > 0)
    checkOptions('The options of a request', options, optionNames);
}

/** Throws unless the value is a string. The official SDK passes names and URIs in an object instead. */
export function requireText(what: string, name: string, value: unknown): void {
  if (typeof value !== 'string') throw badDefinition(what, `"${name}" must be text, not ${valueKind(value)}`);
}
