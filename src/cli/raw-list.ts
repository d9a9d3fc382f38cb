/** A list as a server sends it: the client's own lists leave out what is malformed or there twice. */
import type { Client } from '../client/index.ts';

const MAX_PAGES = 64;

export interface RawListName {
  /** `tools/list`. */
  readonly method: string;
  /** The member of the result that holds the items. */
  readonly member: string;
}

export class UnusableList extends Error {}

/** Throws `UnusableList` for what is no list, and what the client throws. */
export async function rawItems(client: Client, { method, member }: RawListName): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor });
    const items = result[member];
    if (!Array.isArray(items)) throw new UnusableList(`"${member}" is not a list`);
    all.push(...items);
    cursor = result['nextCursor'] ?? undefined;
    if (cursor === undefined) return all;
  }
  throw new UnusableList(`more than ${MAX_PAGES} pages`);
}
