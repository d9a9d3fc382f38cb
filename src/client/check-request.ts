/** What callers without the compiler get wrong in a request. */
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

/** The official SDK has `timeout`: ignored, it would leave a call waiting. */
export function checkRequestOptions(options: AnyOptions): void {
  // Most requests have none.
  if (typeof options !== 'object' || Object.keys(options).length > 0)
    checkOptions('The options of a request', options, optionNames);
}

/** The official SDK takes names and URIs within an object. */
export function requireText(what: string, name: string, value: unknown): void {
  if (typeof value !== 'string') throw badDefinition(what, `"${name}" must be text, not ${valueKind(value)}`);
}
