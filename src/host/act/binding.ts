/** What an approval is good for: a hash that changes with anything that would be done. */
import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../../model/canonical.ts';
import type { Act } from './act.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same, for those who have the key alone. */
export const keyedSha256 = (key: string | Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');

/** The definition, where it goes, and what goes along. */
export const bindingOf = ({ definition, fingerprint, kind, server, name, arguments: args }: Act): string =>
  sha256(canonicalJson([definition ?? null, fingerprint ?? null, kind, server, name, args]));
