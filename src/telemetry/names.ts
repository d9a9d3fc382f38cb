/** Names of the OpenTelemetry conventions for MCP, in one place: they are in development, and have moved before. */

export const METHOD = 'mcp.method.name';
export const PROTOCOL = 'mcp.protocol.version';
export const TOOL = 'gen_ai.tool.name';
export const PROMPT = 'gen_ai.prompt.name';
export const OPERATION = 'gen_ai.operation.name';
export const EXECUTE_TOOL = 'execute_tool';
export const REQUEST_ID = 'jsonrpc.request.id';
export const STATUS_CODE = 'rpc.response.status_code';
export const ERROR_TYPE = 'error.type';
/** The `error.type` of a tool result that says that it is an error. */
export const TOOL_ERROR = 'tool_error';
/** What stands for a name where there are too many. */
export const OTHER = '_OTHER';

export const SERVER_DURATION = 'mcp.server.operation.duration';
export const CLIENT_DURATION = 'mcp.client.operation.duration';
export const SERVER_SESSION_DURATION = 'mcp.server.session.duration';
export const CLIENT_SESSION_DURATION = 'mcp.client.session.duration';
/** Seconds. */
export const DURATION_BOUNDARIES: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** A call was answered with questions, and comes again with their answers. */
export const INPUT_REQUIRED = 'input_required';
