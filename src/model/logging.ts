/** Log messages: the eight levels of RFC 5424, and what a server sends. */
import type { JsonObject } from '../jsonrpc/message.ts';

/** Least severe first. */
export const loggingLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
/** The severity of a log message, as in syslog. */
export type LoggingLevel = (typeof loggingLevels)[number];

export const isLoggingLevel = (value: unknown): value is LoggingLevel => loggingLevels.includes(value as LoggingLevel); // `includes` only compares

export const atLeast = (level: LoggingLevel, threshold: LoggingLevel): boolean =>
  loggingLevels.indexOf(level) >= loggingLevels.indexOf(threshold);

/** A log line that a server sends to the client. */
export type LogMessage = {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
};

/** Reads the params of a log notification; undefined if the level is unknown. */
export const readLogMessage = ({ level, logger, data }: JsonObject): LogMessage | undefined =>
  isLoggingLevel(level) ? { level, ...(typeof logger === 'string' ? { logger } : {}), data } : undefined;
