/** An append-only audit log file: one hash-chained JSON record per line, written by one process at a time. */
import { Buffer } from 'node:buffer';
import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { badDefinition } from '../../errors.ts';
import { type HeldLock, takeLock } from '../../files/file-lock.ts';
import { checkText } from '../../model/check-argument.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { Warnings } from '../../peer/warnings.ts';
import { badFile, hostFileError } from '../act/file-error.ts';
import type { Audit, AuditRecord } from './audit.ts';
import { type AnchorInterval, AnchorSchedule, type AuditAnchor } from './audit-anchor.ts';
import { type AuditKey, CHAIN_START, type Checkpoint, chainRecord, readLink } from './hash-chain.ts';
import { MAX_RECORD_BYTES, readAudit } from './verify-audit.ts';

/** The length of the hash. A shorter key would weaken the HMAC. */
const MIN_KEY_BYTES = 32;

/** Settings of `ndjsonAudit`. */
export interface NdjsonAuditOptions {
  /** An HMAC key of at least 32 bytes. Without it, anyone who can write the file can rebuild the whole chain. */
  readonly key?: AuditKey | undefined;
  /** Called periodically and on close with the head of the chain. Store it where this process cannot change it. */
  readonly anchor?: AuditAnchor | undefined;
  /** How often `anchor` is called. Default: every 100 records, and at most 60 seconds after a record. */
  readonly anchorEvery?: AnchorInterval | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** An audit log file with one hash-chained JSON object per line. */
export interface NdjsonAudit extends Audit {
  read(id: string): Promise<readonly AuditRecord[]>;
  /** Returns the head of the chain. Stored elsewhere, it detects truncation. */
  checkpoint(): Promise<Checkpoint>;
  close(): Promise<void>;
}

/** Creates an audit log in a file. The first record opens and locks the file; an existing log is continued. */
export function ndjsonAudit(path: string, options: NdjsonAuditOptions = {}): NdjsonAudit {
  checkText(path, 'ndjsonAudit(path)', 'the path of a file');
  return new AuditFile(resolve(path), options);
}

interface OpenAuditFile {
  readonly file: FileHandle;
  readonly lock: HeldLock;
  /** The expected size of the file, and the head of the chain at that point. */
  size: number;
  at: Checkpoint;
}

interface PendingRecord {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class AuditFile implements NdjsonAudit {
  readonly #path: string;
  readonly #key: AuditKey | undefined;
  readonly #warnings: Warnings;
  readonly #anchoring: AnchorSchedule | undefined;
  #opening: Promise<OpenAuditFile> | undefined;
  #queue: PendingRecord[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(path: string, { key, anchor, anchorEvery, onWarning, clock = systemClock }: NdjsonAuditOptions) {
    if (key !== undefined && Buffer.byteLength(key) < MIN_KEY_BYTES)
      throw badDefinition(
        'The key of an audit',
        `it has ${Buffer.byteLength(key)} bytes; give at least ${MIN_KEY_BYTES}`,
      );
    this.#path = path;
    this.#key = key;
    this.#warnings = new Warnings(onWarning);
    const { warn } = this.#warnings;
    this.#anchoring = anchor && new AnchorSchedule({ anchor, every: anchorEvery, clock, warn });
  }

  write(record: AuditRecord): Promise<void> {
    if (this.#closed) return Promise.reject(badFile(this.#path, 'the audit was closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ record, resolve, reject });
      this.#writing ??= this.#drain();
    });
  }

  async read(id: string): Promise<readonly AuditRecord[]> {
    await this.#writing;
    const found: AuditRecord[] = [];
    for await (const record of readAudit(this.#path, { key: this.#key })) if (record.id === id) found.push(record);
    return found;
  }

  async checkpoint(): Promise<Checkpoint> {
    await this.#writing;
    const { at } = await this.#openOnce();
    // A closed audit must not lock the file again.
    if (this.#closed) await this.close();
    return at;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    const opened = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    await opened?.file.close();
    await opened?.lock.release();
    await this.#anchoring?.flush();
  }

  /** Writes records in batches, with one fdatasync per batch. Records that arrive during a write form the next batch. */
  async #drain(): Promise<void> {
    // Lets records of the same event-loop turn join the batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#append(batch);
        // No effect on records that #chain rejected.
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #append(batch: readonly PendingRecord[]): Promise<void> {
    const opened = await this.#openOnce();
    const { file, size } = opened;
    await this.#checkInPlace(file, size);
    const { bytes, at } = this.#chain(batch, opened.at);
    if (bytes.length === 0) return;
    try {
      await file.appendFile(bytes);
      // The record must be durable before the act starts. Other phases need no sync.
      if (batch.some(({ record }) => record.phase === 'decided')) await file.datasync();
    } catch (error) {
      // A partial line would break the chain permanently.
      await file.truncate(size);
      throw hostFileError(this.#path, error);
    }
    this.#anchoring?.advance(at, at.n - opened.at.n);
    opened.size = size + bytes.length;
    opened.at = at;
  }

  /** Serializes a batch. Rejects an invalid record here on its own, so that it does not fail the other acts. */
  #chain(batch: readonly PendingRecord[], from: Checkpoint): { readonly bytes: Buffer; readonly at: Checkpoint } {
    const lines: Buffer[] = [];
    let at = from;
    for (const { record, reject } of batch) {
      try {
        const next = chainRecord(record, at, this.#key);
        const line = Buffer.from(`${next.line}\n`);
        // #tail() could not read a longer line back.
        if (line.length > MAX_RECORD_BYTES) throw badFile(this.#path, 'a record is larger than 16 MiB');
        lines.push(line);
        at = next.at;
      } catch (error) {
        reject(error);
      }
    }
    return { bytes: Buffer.concat(lines), at };
  }

  /** Throws if the file was removed, replaced or written to: records would be lost, so acts are denied until it is restored. */
  async #checkInPlace(file: FileHandle, size: number): Promise<void> {
    const [own, there] = [await file.stat(), await stat(this.#path).catch(() => undefined)];
    if (there?.ino !== own.ino || there.dev !== own.dev) {
      const what = there === undefined ? 'removed' : 'replaced by another file';
      throw badFile(this.#path, `it was ${what} while it was written to; put it back, or restart this process`);
    }
    if (own.size !== size) throw badFile(this.#path, 'another program has written to it');
  }

  #openOnce(): Promise<OpenAuditFile> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw hostFileError(this.#path, error);
    });
    return this.#opening;
  }

  async #open(): Promise<OpenAuditFile> {
    const lock = await takeLock(this.#path);
    let file: FileHandle | undefined;
    try {
      this.#checkRegular(await stat(this.#path).catch(() => undefined));
      file = await open(this.#path, 'a+', 0o600);
      this.#checkRegular(await file.stat());
      return { file, lock, ...(await this.#tail(file)) };
    } catch (error) {
      await file?.close();
      await lock.release();
      throw error;
    }
  }

  /** Throws for pipes and devices, which store no records. */
  #checkRegular(stats: Stats | undefined): void {
    if (stats?.isFile() === false) throw badFile(this.#path, 'it is not a regular file');
  }

  /** Reads the head from the last record. Truncates a partial line of a killed process: its act never started. */
  async #tail(file: FileHandle): Promise<{ size: number; at: Checkpoint }> {
    const { size } = await file.stat();
    // Enough for the last complete record plus a partial one.
    const start = Math.max(0, size - 2 * MAX_RECORD_BYTES);
    const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const end = buffer.lastIndexOf('\n') + 1;
    // The file may not be an audit log, so it is not truncated.
    if (end === 0 && start > 0) throw badFile(this.#path, 'it is not an audit log: its last line is too long');
    if (start + end < size) {
      await file.truncate(start + end);
      this.#warnings.warn(`The last line of ${this.#path} was incomplete and has been removed`);
    }
    if (end === 0) return { size: 0, at: CHAIN_START };
    const line = buffer.subarray(buffer.lastIndexOf('\n', end - 2) + 1, end - 1).toString('utf8');
    const link = readLink(line, this.#key);
    if ('fault' in link) throw badFile(this.#path, `of its last record: ${link.fault}; move it away and keep it`);
    return { size: start + end, at: link.at };
  }
}
