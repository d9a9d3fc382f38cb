/** A file that gets line after line while a command goes on. Only whole lines are written: it can be read at any time. */
import { type FileHandle, open } from 'node:fs/promises';
import { errorCodeOf } from '../../files/file-fault.ts';
import { networkReason } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';

/** For its owner only. `ax` is a file that is not there yet; `a` is added to. */
export async function openLineFile(out: string, flags: 'a' | 'ax', shell: Shell): Promise<LineFile> {
  const path = pathFrom(shell, out);
  try {
    return new LineFile(path, await open(path, flags, 0o600));
  } catch (error) {
    const exists = errorCodeOf(error) === 'EEXIST';
    const why = exists
      ? 'it is there already; name another, or remove it'
      : `it cannot be written: ${networkReason(error)}`;
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
    // Closing the file reports it.
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
