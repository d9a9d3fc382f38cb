/** Writes a recording to a file. If the disk is full, a partly written line is truncated. */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { badDefinition } from '../errors.ts';

export class RecordingFile {
  readonly #file: number;
  readonly #writeBytes: typeof writeBytes;
  #size = 0;

  /** Creates the file; throws if it exists. `write` replaces `writeSync` in tests. */
  constructor(path: string, write: typeof writeBytes = writeBytes) {
    this.#file = openFile(path);
    this.#writeBytes = write;
  }

  /** Throws if the line cannot be written completely; earlier lines stay readable. */
  write(line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let done = 0; done < bytes.length; ) done += this.#writeBytes(this.#file, bytes, done);
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  close(): void {
    closeSync(this.#file);
  }
}

const writeBytes = (file: number, bytes: Uint8Array, from: number): number => writeSync(file, bytes, from);

function openFile(path: string): number {
  try {
    return openSync(path, 'ax', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // thrown by the file system
    throw badDefinition(
      'The recording',
      code === 'EEXIST' ? `${path} already exists` : `${path} cannot be written (${code})`,
    );
  }
}
