/** Validates replies of Redis, which clients return as text, numbers, lists, and null or undefined. */
import { McpError } from '../../errors.ts';

export const isNothing = (reply: unknown): reply is null | undefined => reply === null || reply === undefined;

/** Returns a list of this length, or throws. Treating a malformed reply as empty would end sessions. */
export function toList(reply: unknown, command: string, length?: number): unknown[] {
  if (!Array.isArray(reply)) throw malformedReply(command, `expected a list, not ${kindOf(reply)}`);
  if (length === undefined || reply.length === length) return reply;
  throw malformedReply(command, `expected a list of ${length}, not of ${reply.length}`);
}

/** Returns an integer, or throws. A malformed reply must not look like 0, which means that nothing was written. */
export function toCount(reply: unknown, command: string): number {
  // Some clients return numbers as text.
  const count = typeof reply === 'number' ? reply : Number.parseInt(`${reply}`, 10);
  if (Number.isInteger(count)) return count;
  throw malformedReply(command, `expected a number, not ${kindOf(reply)}`);
}

/** Describes a reply for an error. Does not quote its value, which can contain session data. */
export const kindOf = (reply: unknown): string => (isNothing(reply) ? 'nothing' : `a value of type ${typeof reply}`);

export const malformedReply = (command: string, why: string): McpError<'MCP_BAD_RESULT'> =>
  new McpError('MCP_BAD_RESULT', { method: `${command} of Redis`, why });
