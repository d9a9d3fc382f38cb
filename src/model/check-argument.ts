/** Arguments of programs that no compiler has checked: a missing one is named, instead of failing deep inside. */
import { badDefinition, type McpError } from '../errors.ts';

/** `call` is how the function is written, and `wanted` what the argument is: `ndjsonAudit(path)`, "the path of a file". */
export function checkText(value: unknown, call: string, wanted: string): void {
  if (typeof value !== 'string' || value === '') throw wrongArgument(value, call, wanted);
}

export function checkObject(value: unknown, call: string, wanted: string): void {
  if (typeof value !== 'object' || value === null) throw wrongArgument(value, call, wanted);
}

/** A list, which can be empty. */
export function checkList(value: unknown, call: string, wanted: string): void {
  if (!Array.isArray(value)) throw wrongArgument(value, call, wanted);
}

/** Something with this method: a client, a server, a database. */
export function checkMethod(value: unknown, method: string, call: string, wanted: string): void {
  if (typeof Object(value)[method] !== 'function') throw wrongArgument(value, call, wanted);
}

export function checkUrl(value: unknown, call: string, wanted: string): void {
  if (!URL.canParse(String(value))) throw wrongArgument(value, call, wanted);
}

/** The value is not quoted: it can be a secret in the wrong place. */
const wrongArgument = (value: unknown, call: string, wanted: string): McpError =>
  badDefinition(
    call,
    `expected ${wanted}, not ${value === '' ? 'an empty text' : value === null ? 'null' : typeof value}`,
  );
