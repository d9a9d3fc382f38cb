/** Why a file cannot be used. Each room turns it into an error of its own. */

/** The error code of the system, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
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

/** Returns a `FileFault` unchanged. */
export const toFileFault = (path: string, error: unknown): FileFault =>
  error instanceof FileFault
    ? error
    : new FileFault(path, `the system reports ${codeOf(error) ?? 'an error without a code'}`, error);
