/** Caches the row ids that match a filter. Each row is tested once, when the timeline has grown. */
import type { MessageStore } from './message-store.ts';
import type { MessageRow, TimelineFilter } from './protocol-timeline.ts';
import type { RowTable } from './row-table.ts';

export class FilteredRows {
  readonly #filter: TimelineFilter;
  readonly #ids: number[] = [];
  #seen = 0;

  constructor(filter: TimelineFilter) {
    this.#filter = filter;
  }

  extend(rows: RowTable, store: MessageStore): readonly number[] {
    const { text = '' } = this.#filter;
    const wanted = text.toLowerCase();
    const from = this.#seen;
    this.#seen = rows.size;
    const isMatch = (id: number): boolean => {
      const row = rows.row(id);
      return row !== undefined && matches(row, this.#filter);
    };
    if (wanted === '') {
      for (let id = from + 1; id <= rows.size; id++) if (isMatch(id)) this.#ids.push(id);
      return this.#ids;
    }
    store.scan(from, (found, place) => {
      const isFound =
        found.toLowerCase().includes(wanted) ||
        (rows
          .row(place + 1)
          ?.method.toLowerCase()
          .includes(wanted) ??
          false);
      if (isFound && isMatch(place + 1)) this.#ids.push(place + 1);
    });
    return this.#ids;
  }
}

function matches(row: MessageRow, { server, method, subject, errors = false, http = false }: TimelineFilter): boolean {
  if (row.side === 'http' && !http) return false;
  if (server !== undefined && row.server !== server) return false;
  if (subject !== undefined && row.subject !== subject) return false;
  if (errors && !row.isError) return false;
  if (method === undefined) return true;
  return method.endsWith('*') ? row.method.startsWith(method.slice(0, -1)) : row.method === method;
}
