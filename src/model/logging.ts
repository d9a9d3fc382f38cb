/** The eight levels of RFC 5424, least severe first. */
export const loggingLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
/** How severe a log message is, as syslog says it. */
export type LoggingLevel = (typeof loggingLevels)[number];

export const isLoggingLevel = (value: unknown): value is LoggingLevel => loggingLevels.includes(value as LoggingLevel); // `includes` only compares

export const atLeast = (level: LoggingLevel, threshold: LoggingLevel): boolean =>
  loggingLevels.indexOf(level) >= loggingLevels.indexOf(threshold);

/** A line of a server's log, told to the client. */
export type LogMessage = {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
};
