/** Replies of Redis, as the clients give them: texts, numbers, lists, and null or undefined for nothing. */

export const isNothing = (reply: unknown): reply is null | undefined => reply === null || reply === undefined;

export const toList = (reply: unknown): unknown[] => (Array.isArray(reply) ? reply : []);
