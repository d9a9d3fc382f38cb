/** The errors of this package: `RpcError` is sent over the wire, `McpError` stays local, `ToolError` is shown to the model. */

/** Category of an error. The command line maps it to an exit code; an application can use it to decide whether to retry. */
export type ErrorKind = 'usage' | 'auth' | 'offline' | 'http' | 'exit' | 'protocol' | 'bug';

/** Code, text and kind of every local error. A code is never renamed or reused; `docs/errors.md` has a section for each. */
export const errors = {
  MCP_AUTH_BLOCKED: { kind: 'auth', text: '{step} was not sent to {url}: {why}' },
  MCP_AUTH_FAILED: { kind: 'auth', text: 'Signing in for {url} failed at {step}: {why}' },
  MCP_AUTH_STORE: { kind: 'auth', text: 'The credentials in {path} cannot be used: {why}' },
  MCP_AUTH_VERIFIER: { kind: 'auth', text: 'Tokens of {issuer} cannot be verified: {why}' },
  MCP_BAD_ARGUMENT: { kind: 'usage', text: '{argument}: {why}' },
  MCP_BAD_CONFIG: { kind: 'usage', text: 'The configuration {file}, line {line}: {why}' },
  MCP_BAD_DEFINITION: { kind: 'usage', text: '{what}: {why}' },
  MCP_BAD_LINE: { kind: 'protocol', text: '{peer} wrote a line that is not a JSON-RPC message: {line}' },
  MCP_BAD_RESULT: { kind: 'protocol', text: 'The result of {method} is malformed: {why}' },
  MCP_CANCELLED: { kind: 'usage', text: '{method} was cancelled: {why}' },
  MCP_CANNOT_ASK: {
    kind: 'protocol',
    text: 'The client does not support {what} ({capability}){fix}',
  },
  MCP_CLOSED: { kind: 'offline', text: 'The connection is closed: {why}' },
  MCP_CURSOR_LOOP: { kind: 'protocol', text: '{method} sent the cursor {cursor} twice, so the list never ends' },
  MCP_DENIED: { kind: 'usage', text: '{what} was denied: {why} (rule: {rule}; act {id})' },
  MCP_DUPLICATE_KEY: {
    kind: 'bug',
    text: '{what} uses the key "{key}" for two different questions. Give each its own key',
  },
  MCP_DUPLICATE_PART: { kind: 'usage', text: 'Two {kind}s are called "{name}". Rename one' },
  MCP_HOST_FILE: { kind: 'usage', text: '{path} cannot be used: {why}' },
  MCP_HTTP_FAILED: { kind: 'offline', text: '{url} answered {method} with status {status}{body}; {advice}' },
  MCP_HTTP_REDIRECT: {
    kind: 'http',
    text: '{url} redirects {method} to {to}: {why}. Connect to it directly',
  },
  MCP_HTTP_REFUSED: {
    kind: 'http',
    text: '{url} rejected {method} with status {status}{body}. Check that the URL is an MCP endpoint{guess}',
  },
  MCP_HTTP_UNEXPECTED: {
    kind: 'http',
    text: '{url} did not answer {method} as an MCP endpoint does: {why}. Check the URL',
  },
  MCP_LIST_TOO_LONG: {
    kind: 'protocol',
    text: '{method} sent more than {limit} {unit}. Raise {setting}',
  },
  MCP_MODEL_FAILED: { kind: 'http', text: 'The model at {url} failed: {why}' },
  MCP_NOT_FOUND: { kind: 'usage', text: '{what} was not found: {why}' },
  MCP_NOT_OFFERED: {
    kind: 'usage',
    text: 'The server does not offer {what} (capability "{capability}")',
  },
  MCP_NO_COMMON_REVISION: {
    kind: 'protocol',
    text: 'No protocol revision in common: the client supports {ours}, the server {theirs}',
  },
  MCP_NO_SUCH_QUESTION: {
    kind: 'protocol',
    text: 'The client does not support {what}: revision {revision} lacks it',
  },
  MCP_OUTCOME_UNKNOWN: {
    kind: 'offline',
    text: 'The connection was lost during {method}. Check whether it took effect before you repeat it',
  },
  MCP_OUTPUT_MISMATCH: {
    kind: 'protocol',
    text: 'The result of tool "{tool}" does not match its output schema: {why}',
  },
  MCP_SCHEMA_TOO_COSTLY: { kind: 'protocol', text: 'The schema of {what} is rejected: {why}' },
  MCP_SCHEMA_UNSUPPORTED: { kind: 'usage', text: 'The schema of {what} cannot be used: {why}' },
  MCP_SERVER_EXITED: { kind: 'exit', text: 'The server process {command} ended ({how}){stderr}' },
  MCP_SERVER_SILENT: {
    kind: 'offline',
    text: 'The server process {command} sent no message. Check that it is an MCP server{stderr}',
  },
  MCP_SESSION_LOST: { kind: 'offline', text: '{url} no longer knows this session: {method} got status 404' },
  MCP_SKILL_CHANGED: {
    kind: 'protocol',
    text: 'The skill {uri} of {server} has changed: {why}. Load the skill again',
  },
  MCP_SKILL_REJECTED: {
    kind: 'protocol',
    text: 'The skill file {uri} is rejected: {why}. Load the skill again',
  },
  MCP_SPAWN_FAILED: { kind: 'exit', text: 'The server process {command} could not be started: {why}' },
  MCP_SUSPENSION_SWALLOWED: {
    kind: 'bug',
    text: '{what} continued without the answer to "{key}". Await the question, and rethrow errors that are not yours',
  },
  MCP_TIMEOUT: { kind: 'offline', text: '{method} took longer than {ms} ms ({setting})' },
  MCP_TOO_LARGE: { kind: 'protocol', text: '{what} is larger than {limit} bytes ({setting})' },
  MCP_TOO_MANY_ROUNDS: { kind: 'protocol', text: '{method} asked for input {rounds} times in a row ({setting})' },
  MCP_UNAUTHORIZED: {
    kind: 'auth',
    text: '{url} rejected {method} for lack of authorization (status {status}, {challenge}){body}; {advice}',
  },
  MCP_UNKNOWN_RESULT_TYPE: { kind: 'protocol', text: 'The result of {method} has the unknown resultType "{type}"' },
  MCP_UNREACHABLE: { kind: 'offline', text: '{url} cannot be reached: {why}' },
} as const;

/** The codes of `McpError`. `docs/errors.md` has a section for each. */
export type ErrorCode = keyof typeof errors;

/** The names of the `{placeholders}` in an error's text. */
export type Blanks<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Blanks<Rest> : never;
export type ErrorDetails<C extends ErrorCode> = Readonly<Record<Blanks<(typeof errors)[C]['text']>, string | number>>;

/** An error raised on this side of the connection. Identify it by `code`. */
export class McpError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'McpError';
  readonly code: C;
  readonly kind: ErrorKind;
  readonly details: ErrorDetails<C>;

  constructor(code: C, details: ErrorDetails<C>, options?: ErrorOptions) {
    const { text, kind } = errors[code];
    super(fillText(text, details), options?.cause === undefined ? undefined : options);
    this.code = code;
    this.kind = kind;
    this.details = details;
  }
}

/** Creates the most common error: an invalid definition or setting. */
export const badDefinition = (what: string, why: string): McpError<'MCP_BAD_DEFINITION'> =>
  new McpError('MCP_BAD_DEFINITION', { what, why });

/** Replaces each `{name}` with its detail. Placeholders without a detail stay. */
export function fillText(text: string, details: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (blank, name: string) => String(details[name] ?? blank));
}

/** The reason for an `RpcError`, where each revision encodes it in a different error code. */
export type RpcReason = 'resource-not-found';

/** A JSON-RPC error: sent to the peer, or received from it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  readonly reason: RpcReason | undefined;

  constructor(code: number, message: string, data?: unknown, reason?: RpcReason) {
    super(message);
    this.code = code;
    this.data = data;
    this.reason = reason;
  }
}

/** A tool failure that the model can read and act on. Thrown by handlers and by `client.call`. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** Content blocks: those of the server's result, or one text block with the message. */
  readonly content: readonly unknown[];

  constructor(message: string, options?: ErrorOptions & { content?: readonly unknown[] }) {
    super(message, options);
    this.content = options?.content ?? [{ type: 'text', text: this.message }];
  }
}

/** The message of a thrown value, which need not be an Error. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
