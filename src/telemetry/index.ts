/** The entry point `mooring/otel`: spans and metrics by the conventions of OpenTelemetry. */
export { type Telemetry, type TelemetryOptions, telemetry } from './telemetry.ts';
