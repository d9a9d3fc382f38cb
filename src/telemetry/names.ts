/** Names of OpenTelemetry's semantic conventions for MCP. The conventions are not stable yet. */

export const METHOD = 'mcp.method.name';
export const PROTOCOL = 'mcp.protocol.version';
export const TOOL = 'gen_ai.tool.name';
export const PROMPT = 'gen_ai.prompt.name';
export const OPERATION = 'gen_ai.operation.name';
export const EXECUTE_TOOL = 'execute_tool';
export const REQUEST_ID = 'jsonrpc.request.id';
export const STATUS_CODE = 'rpc.response.status_code';
export const ERROR_TYPE = 'error.type';
/** The `error.type` of a tool result with `isError`. */
export const TOOL_ERROR = 'tool_error';
/** Replaces names beyond the cardinality limit. */
export const OTHER = '_OTHER';

export const SERVER_DURATION = 'mcp.server.operation.duration';
export const CLIENT_DURATION = 'mcp.client.operation.duration';
export const SERVER_SESSION_DURATION = 'mcp.server.session.duration';
export const CLIENT_SESSION_DURATION = 'mcp.client.session.duration';
/** Histogram buckets, in seconds. */
export const DURATION_BOUNDARIES: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The `resultType` of a call that asks for input, and the name of the span event for it. The client repeats the call with answers. */
export const INPUT_REQUIRED = 'input_required';
