/** The eight levels of RFC 5424, least severe first. */
export const loggingLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LoggingLevel = (typeof loggingLevels)[number];

export const isLoggingLevel = (value: unknown): value is LoggingLevel => loggingLevels.includes(value as LoggingLevel); // `includes` only compares

export const atLeast = (level: LoggingLevel, threshold: LoggingLevel): boolean =>
  loggingLevels.indexOf(level) >= loggingLevels.indexOf(threshold);

export interface LogMessage {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
}
