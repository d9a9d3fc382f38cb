/** Paginates a merged list. A cursor is the name of the last part of a page, so every node accepts it. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { ListName } from '../../revisions/decode-lists.ts';
import type { ExposedPart } from '../contract.ts';

const PAGE_SIZE = 1_000;
const MAX_CURSOR_LENGTH = 16 * 1024;

export interface PartPage {
  readonly parts: readonly ExposedPart[];
  readonly nextCursor?: string;
}

export function pageOfParts(list: ListName, parts: readonly ExposedPart[], cursor: unknown): PartPage {
  const start = cursor === undefined ? 0 : placeAfter(readCursor(list, cursor), parts);
  const end = start + PAGE_SIZE;
  const last = parts[end - 1];
  if (last === undefined || end >= parts.length) return { parts: start === 0 ? parts : parts.slice(start) };
  const text = `${list} ${last.name}`;
  return { parts: parts.slice(start, end), nextCursor: toBase64Url(new TextEncoder().encode(text)) };
}

function readCursor(list: ListName, cursor: unknown): string {
  const isShort = typeof cursor === 'string' && cursor.length <= MAX_CURSOR_LENGTH;
  const text = new TextDecoder().decode(isShort ? fromBase64Url(cursor) : undefined);
  if (!text.startsWith(`${list} `)) throw unknownCursor();
  return text.slice(list.length + 1);
}

function placeAfter(name: string, parts: readonly ExposedPart[]): number {
  const place = parts.findIndex((part) => part.name === name);
  if (place === -1) throw unknownCursor();
  return place + 1;
}

const unknownCursor = (): RpcError =>
  new RpcError(INVALID_PARAMS, 'Invalid cursor: use the nextCursor of an earlier page');
