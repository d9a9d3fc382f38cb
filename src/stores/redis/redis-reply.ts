/** Replies of Redis, as the clients give them: texts, numbers, lists, and null or undefined for nothing. */
import { McpError } from '../../errors.ts';

export const isNothing = (reply: unknown): reply is null | undefined => reply === null || reply === undefined;

/** Throws for what is no list of so many: taken for an empty one, it would say that a session has ended. */
export function toList(reply: unknown, command: string, length?: number): unknown[] {
  if (!Array.isArray(reply)) throw malformedReply(command, `expected a list, not ${kindOf(reply)}`);
  if (length === undefined || reply.length === length) return reply;
  throw malformedReply(command, `expected a list of ${length}, not of ${reply.length}`);
}

/** Throws for what is no whole number: none of them could be told from "nothing was done". */
export function toCount(reply: unknown, command: string): number {
  // Some clients give numbers as text.
  const count = typeof reply === 'number' ? reply : Number.parseInt(`${reply}`, 10);
  if (Number.isInteger(count)) return count;
  throw malformedReply(command, `expected a number, not ${kindOf(reply)}`);
}

/** Replies are not quoted: they can hold what sessions agreed on. */
export const kindOf = (reply: unknown): string => (isNothing(reply) ? 'nothing' : `a value of type ${typeof reply}`);

export const malformedReply = (command: string, why: string): McpError<'MCP_BAD_RESULT'> =>
  new McpError('MCP_BAD_RESULT', { method: `${command} of Redis`, why });
