/** Errors about schemas, worded alike for reading and for cost analysis. */
import { McpError, messageOf } from '../errors.ts';

export const unsupportedSchema = (what: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why }, { cause });

/** Like `unsupportedSchema`, with the place in the schema as a JSON Pointer. */
export function unsupportedSchemaAt(what: string, at: string, why: string): McpError {
  const where = at.slice(0, 200).replace(/\p{Cc}/gu, ' ');
  return unsupportedSchema(what, at === '' ? why : `at #${where}: ${why}`);
}

export const costlySchema = (what: string, why: string): McpError =>
  new McpError('MCP_SCHEMA_TOO_COSTLY', { what, why });

/** Reports every exception of `work`, such as a stack overflow, as a fault of the schema. */
export function blameSchema<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    throw unsupportedSchema(what, cause instanceof RangeError ? 'it is nested too deeply' : messageOf(cause), cause);
  }
}

/** Formats a foreign value for an error text: truncated, and on one line. */
export function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
