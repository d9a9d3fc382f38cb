/** A tool or a prompt as it would be called in code; `?` marks what may be left out. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Prompt } from '../../model/parts.ts';

export function toolSignature(name: string, { properties, required }: JsonObject): string {
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return `${name}(${Object.keys(isObject(properties) ? properties : {})
    .map((key) => (needed.has(key) ? key : `${key}?`))
    .join(', ')})`;
}

export const promptSignature = (name: string, { arguments: args = [] }: Pick<Prompt, 'arguments'>): string =>
  `${name}(${args.map((one) => (one.required === true ? one.name : `${one.name}?`)).join(', ')})`;
