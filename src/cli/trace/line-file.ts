/** Appends lines to a file, in order. Each write is a whole line, so the file can be read at any time. */
import { type FileHandle, open } from 'node:fs/promises';
import { errorCodeOf } from '../../files/file-fault.ts';
import { networkReason } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';

/** Creates the file with mode 0600. `ax` fails if it exists; `a` appends. */
export async function openLineFile(out: string, flags: 'a' | 'ax', shell: Shell): Promise<LineFile> {
  const path = pathFrom(shell, out);
  try {
    return new LineFile(path, await open(path, flags, 0o600));
  } catch (error) {
    const exists = errorCodeOf(error) === 'EEXIST';
    const why = exists
      ? 'this file exists already; name another file, or remove this one'
      : `cannot be written: ${networkReason(error)}`;
    throw badArgument(`--out ${out}`, why);
  }
}

export class LineFile implements AsyncDisposable {
  readonly path: string;
  readonly #file: FileHandle;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  write(line: string): void {
    this.#writing = this.#writing.then(() => this.#file.appendFile(`${line}\n`));
    // Dispose reports a failed write; avoids an unhandled rejection before that.
    this.#writing.catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#writing;
    } finally {
      await this.#file.close();
    }
  }
}
