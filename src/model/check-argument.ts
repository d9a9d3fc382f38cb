/** Checks arguments of callers without TypeScript: a missing one is reported by name, instead of failing deep inside. */
import { badDefinition, type McpError } from '../errors.ts';

/** `call` is the call as it is written, `wanted` the expected argument: `ndjsonAudit(path)`, "the path of a file". */
export function checkText(value: unknown, call: string, wanted: string): void {
  if (typeof value !== 'string' || value === '') throw wrongArgument(value, call, wanted);
}

export function checkObject(value: unknown, call: string, wanted: string): void {
  if (typeof value !== 'object' || value === null) throw wrongArgument(value, call, wanted);
}

/** Checks for a list, which can be empty. */
export function checkList(value: unknown, call: string, wanted: string): void {
  if (!Array.isArray(value)) throw wrongArgument(value, call, wanted);
}

/** Checks for an object with this method, such as a client, a server or a database. */
export function checkMethod(value: unknown, method: string, call: string, wanted: string): void {
  if (typeof Object(value)[method] !== 'function') throw wrongArgument(value, call, wanted);
}

export function checkUrl(value: unknown, call: string, wanted: string): void {
  if (!URL.canParse(String(value))) throw wrongArgument(value, call, wanted);
}

/** Does not quote the value, which can be a misplaced secret. */
const wrongArgument = (value: unknown, call: string, wanted: string): McpError =>
  badDefinition(
    call,
    `expected ${wanted}, not ${value === '' ? 'an empty text' : value === null ? 'null' : typeof value}`,
  );
