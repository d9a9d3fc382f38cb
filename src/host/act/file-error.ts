/** Errors about the files of a host. */
import { McpError } from '../../errors.ts';
import { toFileFault } from '../../files/file-fault.ts';

export const badFile = (path: string, why: string, cause?: unknown): McpError =>
  new McpError('MCP_HOST_FILE', { path, why }, { cause });

export function hostFileError(path: string, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const fault = toFileFault(path, error);
  return badFile(fault.path, fault.why, error);
}

/** Handles the rejection of something that was done with a file. */
export function throwFileError(path: string): (error: unknown) => never {
  return (error) => {
    throw hostFileError(path, error);
  };
}
