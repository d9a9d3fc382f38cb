/** Creates the MCP_HOST_FILE errors of files that a host reads or writes. */
import { McpError } from '../../errors.ts';
import { toFileFault } from '../../files/file-fault.ts';

export const badFile = (path: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_HOST_FILE', { path, why }, { cause });

export function hostFileError(path: string, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const fault = toFileFault(path, error);
  return badFile(fault.path, fault.why, error);
}

/** A rejection handler for a file operation: `.catch(throwFileError(path))`. */
export function throwFileError(path: string): (error: unknown) => never {
  return (error) => {
    throw hostFileError(path, error);
  };
}
