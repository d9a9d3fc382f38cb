/** Reads audit log files and verifies their hash chain. */
import { StringDecoder } from 'node:string_decoder';
import { openRegularFile } from '../../files/read-file.ts';
import { badFile, hostFileError, throwFileError } from '../act/file-error.ts';
import type { AuditRecord } from './audit.ts';
import { type AuditKey, CHAIN_START, type Checkpoint, chainFault, readLink } from './hash-chain.ts';

/** Maximum length of a line. Also bounds the search for the last record. */
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

/** The result of `verifyAudit`: the head of the chain, or the first bad record. */
export type AuditVerdict =
  | { readonly ok: true; readonly at: Checkpoint }
  | {
      readonly ok: false;
      /** The line of the first bad record, from 1. If the end is missing, the line after the last. */
      readonly line: number;
      readonly why: string;
    };

/** Options of `readAudit`. */
export interface ReadAuditOptions {
  /** The `key` that was passed to `ndjsonAudit`. */
  readonly key?: AuditKey | undefined;
}

/** Options of `verifyAudit`. */
export interface VerifyOptions extends ReadAuditOptions {
  /** An earlier head. All records up to it must be present and unchanged. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** Verifies the whole file, and reports the first record that was changed, moved or removed. */
export async function verifyAudit(path: string, options: VerifyOptions = {}): Promise<AuditVerdict> {
  const { checkpoint, key } = options;
  let at = CHAIN_START;
  let line = 0;
  for await (const text of auditLines(path)) {
    line++;
    if (!text.endsWith('\n')) return { ok: false, line, why: 'the line is cut off' };
    const link = readLink(text.slice(0, -1), key);
    if ('fault' in link) return { ok: false, line, why: link.fault };
    const fault = chainFault(at, link);
    if (fault !== undefined) return { ok: false, line, why: fault };
    at = link.at;
    if (checkpoint?.n === at.n && checkpoint.hash !== at.hash)
      return { ok: false, line, why: 'not the record of the checkpoint: everything up to this line was rewritten' };
  }
  if (checkpoint === undefined || at.n >= checkpoint.n) return { ok: true, at };
  const why = `the end is missing: there were ${checkpoint.n} records, and there are ${at.n}`;
  return { ok: false, line: line + 1, why };
}

/** Reads the records of an audit file, oldest first. Skips lines that fail verification; `verifyAudit` reports the first. */
export async function* readAudit(path: string, { key }: ReadAuditOptions = {}): AsyncGenerator<AuditRecord> {
  for await (const text of auditLines(path)) {
    const link = readLink(text.trimEnd(), key);
    if ('record' in link) yield link.record;
    else if (link.needsKey) throw badFile(path, 'it was written with a key; pass the same key to read it');
  }
}

/** Yields each line with its line break, which the last line may lack. */
async function* auditLines(path: string): AsyncGenerator<string> {
  const file = await openRegularFile(path).catch(throwFileError(path));
  if (file === undefined) throw badFile(path, 'the file does not exist');
  const decoder = new StringDecoder('utf8');
  let rest = '';
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      const [first = '', ...more] = decoder.write(chunk as Buffer).split('\n'); // a stream without an encoding
      rest += first;
      for (const next of more) {
        yield `${rest}\n`;
        rest = next;
      }
      if (rest.length > MAX_RECORD_BYTES) throw badFile(path, 'a line of it is larger than 16 MiB');
    }
  } catch (error) {
    throw hostFileError(path, error);
  } finally {
    await file.close();
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
