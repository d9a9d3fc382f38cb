/** Telling what others sent. */
import type { JsonObject } from '../../jsonrpc/message.ts';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
