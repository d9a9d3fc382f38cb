/** How a command ends. The numbers are promised: scripts live on them. */
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

/** A rule denied it, or the user declined. */
const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['MCP_CANCELLED', 'MCP_DENIED']);

/** The user pressed Ctrl-C or Ctrl-D at a question. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** A question that was left open can have been one of a sign-in, whose failure is then the error. */
export const isInterrupted = (error: unknown): boolean =>
  error instanceof Interrupted || (error instanceof Error && isInterrupted(error.cause));

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof McpError) return refusals.has(error.code) ? exitCodes.no : byKind[error.kind];
  // What a server or a tool answered is an answer.
  const answered = error instanceof Error && (error.name === 'RpcError' || error.name === 'ToolError');
  return answered ? exitCodes.no : exitCodes.bug;
}
