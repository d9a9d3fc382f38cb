/** The entry point `mooring/otel`: spans and metrics by OpenTelemetry's semantic conventions. */
export { type Telemetry, type TelemetryOptions, telemetry } from './telemetry.ts';
