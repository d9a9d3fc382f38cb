/**
 * Paginates a merged list. A cursor is the name of the last part of a page, so every node accepts it; a long name, such as a URI that an
 * upstream chose, is replaced by its digest, so that a client can send the cursor back.
 */
import { RpcError } from '../../errors.ts';
import { sha256 } from '../../host/act/binding.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { ListName } from '../../revisions/decode-lists.ts';
import type { ExposedPart } from '../contract.ts';

const PAGE_SIZE = 1_000;
/** Longer names are replaced in cursors. */
const MAX_NAME_LENGTH = 1_024;

export interface PartPage {
  readonly parts: readonly ExposedPart[];
  readonly nextCursor?: string;
}

export function pageOfParts(list: ListName, parts: readonly ExposedPart[], cursor: unknown): PartPage {
  const start = cursor === undefined ? 0 : placeAfter(readCursor(list, cursor), parts);
  const end = start + PAGE_SIZE;
  const last = end < parts.length ? parts[end - 1] : undefined;
  if (last === undefined) return { parts: parts.slice(start) };
  const text = `${list} ${markOf(last)}`;
  return { parts: parts.slice(start, end), nextCursor: toBase64Url(new TextEncoder().encode(text)) };
}

function readCursor(list: ListName, cursor: unknown): string {
  const text = new TextDecoder().decode(typeof cursor === 'string' ? fromBase64Url(cursor) : undefined);
  if (!text.startsWith(`${list} `)) throw unknownCursor();
  return text.slice(list.length + 1);
}

const markOf = ({ name }: ExposedPart): string => (name.length > MAX_NAME_LENGTH ? sha256(name) : name);

function placeAfter(mark: string, parts: readonly ExposedPart[]): number {
  const place = parts.findIndex((part) => markOf(part) === mark);
  if (place === -1) throw unknownCursor();
  return place + 1;
}

const unknownCursor = (): RpcError =>
  new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
