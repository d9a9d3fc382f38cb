/** How a command ends. The numbers are promised: scripts live on them. */
import { type ErrorCode, type ErrorKind, McpError } from '../errors.ts';

export const exitCodes = {
  /** What was asked for was done. */
  done: 0,
  /** It was done, and the answer is no: a tool failed, a check found something, a rule or a person refused. */
  no: 1,
  /** The command, a file or an argument is wrong; nothing was started and nothing was written. */
  usage: 2,
  /** The server cannot be reached, or went away. */
  offline: 3,
  /** The server wants other credentials, or some. */
  auth: 4,
  /** The server does not speak as the protocol says. */
  protocol: 5,
  /** The server's process could not be started, or ended. */
  process: 6,
  /** A mistake of ours. */
  bug: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

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

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof McpError) return refusals.has(error.code) ? exitCodes.no : byKind[error.kind];
  // What a server or a tool answered is an answer.
  const answered = error instanceof Error && (error.name === 'RpcError' || error.name === 'ToolError');
  return answered ? exitCodes.no : exitCodes.bug;
}
