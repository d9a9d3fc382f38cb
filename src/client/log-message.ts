/** A log message of a server, read from its notification. */
import type { JsonObject } from '../jsonrpc/message.ts';
import { isLoggingLevel, type LogMessage } from '../model/logging.ts';

/** Undefined where the level is not one of the protocol. */
export function readLogMessage({ level, logger, data }: JsonObject): LogMessage | undefined {
  return isLoggingLevel(level) ? { level, ...(typeof logger === 'string' ? { logger } : {}), data } : undefined;
}
