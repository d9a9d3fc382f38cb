/** `everyRevision`: repeats a test in every protocol revision, in memory. */
import type { Client } from '../client/index.ts';
import type { ConnectOptions } from '../client/options.ts';
import { connect } from '../connect/index.ts';
import type { Servable } from '../peer/exchange.ts';
import { revisions } from '../revisions/index.ts';

/** `data` has the type of the tool's output, so the compiler does not notice that these revisions leave it out. */
const NO_DATA =
  '. Results have no data in this revision: compare their text, or name other revisions in the option "revisions"';

/**
 * Connects once per protocol revision, newest first, and runs the body. `options.revisions` limits the revisions. Errors name the
 * revision that failed.
 */
export async function everyRevision<S extends Servable>(
  server: S,
  body: (client: Client<S>, revision: string) => void | Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  for (const { id, vocabulary } of revisions) {
    if (options.revisions?.includes(id) === false) continue;
    try {
      await using client = await connect(server, { ...options, revisions: [id] });
      await body(client, id);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const isMissingData = cause instanceof TypeError && vocabulary.structuredContent === 'nothing';
      throw new Error(`In revision ${id}: ${why}${isMissingData ? NO_DATA : ''}`, { cause });
    }
  }
}
