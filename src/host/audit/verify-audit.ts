/** Reading an audit file, and finding out whether it is as it was written. */
import { StringDecoder } from 'node:string_decoder';
import { openRegularFile } from '../../files/read-file.ts';
import { badFile, hostFileError, throwFileError } from '../act/file-error.ts';
import type { AuditRecord } from './audit.ts';
import { type AuditKey, CHAIN_START, type Checkpoint, chainFault, readLink } from './hash-chain.ts';

/** No line is longer; the last record is looked for within this much of the end of a file. */
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

/** Whether all records are there and as they were written, or which is the first that is not. */
export type AuditVerdict =
  | { readonly ok: true; readonly at: Checkpoint }
  | {
      readonly ok: false;
      /** The line of the first bad record, from 1; one more than there are where the end is missing. */
      readonly line: number;
      readonly why: string;
    };

/** What the audit was written with. */
export interface ReadAuditOptions {
  /** The `key` that `ndjsonAudit` was given. */
  readonly key?: AuditKey | undefined;
}

/** What the records are held against. */
export interface VerifyOptions extends ReadAuditOptions {
  /** What the chain was at some time: what came before it must all be there still. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** Goes through the whole file and names the first record that is not as it was written. */
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

/** The records of an audit file, oldest first. Lines that were changed are left out; `verifyAudit` names the first. */
export async function* readAudit(path: string, { key }: ReadAuditOptions = {}): AsyncGenerator<AuditRecord> {
  for await (const text of auditLines(path)) {
    const link = readLink(text.trimEnd(), key);
    if ('record' in link) yield link.record;
    else if (link.needsKey) throw badFile(path, 'it was written with a key; pass the same key to read it');
  }
}

/** Each line with its end, which the last one may lack. */
async function* auditLines(path: string): AsyncGenerator<string> {
  const file = await openRegularFile(path).catch(throwFileError(path));
  if (file === undefined) throw badFile(path, 'there is no such file');
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
