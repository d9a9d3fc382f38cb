/** Errors that a schema causes: reading and proving word them alike. */
import { McpError, messageOf } from '../errors.ts';

export const unsupportedSchema = (what: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why }, { cause });

/** The same, with the place in the schema as a JSON Pointer. */
export function unsupportedSchemaAt(what: string, at: string, why: string): McpError {
  const where = at.slice(0, 200).replace(/\p{Cc}/gu, ' ');
  return unsupportedSchema(what, at === '' ? why : `at #${where}: ${why}`);
}

export const costlySchema = (what: string, why: string): McpError =>
  new McpError('MCP_SCHEMA_TOO_COSTLY', { what, why });

/** Whatever goes wrong while a schema is read, such as a stack that is too small, is the schema's fault. */
export function blameSchema<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    throw unsupportedSchema(what, cause instanceof RangeError ? 'it is nested too deeply' : messageOf(cause), cause);
  }
}

/** A foreign value in an error text: short, and on one line. */
export function quoteValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
