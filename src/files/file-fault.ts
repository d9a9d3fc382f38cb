/** The error for files that cannot be used. Each room converts it to its own error. */

/** The error code of the operating system, such as `ENOENT`. */
export const errorCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export class FileFault extends Error {
  readonly path: string;
  readonly why: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(`${path} cannot be used: ${why}`, { cause });
    this.path = path;
    this.why = why;
  }
}

/** Converts an error to a `FileFault`; returns a `FileFault` unchanged. */
export const toFileFault = (path: string, error: unknown): FileFault =>
  error instanceof FileFault ? error : new FileFault(path, reasonOf(errorCodeOf(error)), error);

/** Returns undefined if the error means that the file does not exist. Throws a `FileFault` for any other error. */
export function undefinedIfMissing(path: string, error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw toFileFault(path, error);
}

function reasonOf(code = 'an error without a code'): string {
  const reason = reasons.get(code);
  return reason === undefined ? `the system reports ${code}` : `${reason} (${code})`;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'the file or its folder does not exist'],
  ['EACCES', 'this process has no right to use it'],
  ['EISDIR', 'it is a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk can only be read'],
]);
