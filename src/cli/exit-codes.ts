/** Exit codes. The numbers are stable API for scripts. */
import { type ErrorCode, type ErrorKind, McpError } from '../errors.ts';

export const exitCodes = {
  done: 0,
  no: 1,
  usage: 2,
  offline: 3,
  auth: 4,
  protocol: 5,
  process: 6,
  bug: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitMeanings: ReadonlyMap<ExitCode, string> = new Map<ExitCode, string>([
  [exitCodes.done, 'success'],
  [exitCodes.no, 'the answer is no (tool failed, problem found, permission denied)'],
  [exitCodes.usage, 'wrong argument or file'],
  [exitCodes.offline, 'server unreachable'],
  [exitCodes.auth, 'authentication required or access denied'],
  [exitCodes.protocol, 'protocol error'],
  [exitCodes.process, 'server process failed'],
  [exitCodes.bug, 'bug in mooring'],
  [exitCodes.interrupted, 'Ctrl-C'],
]);

const byKind: Readonly<Record<ErrorKind, ExitCode>> = {
  usage: exitCodes.usage,
  offline: exitCodes.offline,
  auth: exitCodes.auth,
  http: exitCodes.protocol,
  protocol: exitCodes.protocol,
  exit: exitCodes.process,
  bug: exitCodes.bug,
};

/** A rule denied the action, or the user declined or cancelled it. */
const negativeAnswers: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['MCP_CANCELLED', 'MCP_DENIED']);

const isExit = (error: unknown): boolean => error instanceof McpError && error.kind === 'exit';

/** The user pressed Ctrl-C or Ctrl-D at a question. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Also checks causes: Ctrl-C at a question of a sign-in surfaces as a failed sign-in. */
export const isInterrupted = (error: unknown): boolean =>
  error instanceof Interrupted || (error instanceof Error && isInterrupted(error.cause));

export function exitCodeOf(error: unknown): ExitCode {
  // A server that ended during a call ended: what is unknown is the outcome of the call.
  if (error instanceof McpError && error.code === 'MCP_OUTCOME_UNKNOWN' && isExit(error.cause))
    return exitCodes.process;
  if (error instanceof McpError) return negativeAnswers.has(error.code) ? exitCodes.no : byKind[error.kind];
  // The server or the tool responded with an error: a result, not a bug.
  const answered = error instanceof Error && (error.name === 'RpcError' || error.name === 'ToolError');
  return answered ? exitCodes.no : exitCodes.bug;
}
