/** `everyRevision`: repeats a test in every protocol revision, in memory. */
import type { Client } from '../client/index.ts';
import type { ConnectOptions } from '../client/options.ts';
import { connect } from '../connect/index.ts';
import type { Servable } from '../peer/exchange.ts';
import type { Revision } from '../revisions/contract.ts';
import { revisions } from '../revisions/index.ts';

/** `data` has the type of the tool's output, so the compiler does not notice that these revisions leave it out. */
const NO_DATA =
  '. Results have no data in this revision: compare their text, or name other revisions in the option "revisions"';
/** The only question that is newer than the protocol. */
const FORM = 'elicitation/create';
const NO_FORM = '. Name the revisions that have this question in the option "revisions"';

/**
 * Connects once per protocol revision, newest first, and runs the body. `options.revisions` limits the revisions. Errors name the
 * revision that failed.
 */
export async function everyRevision<S extends Servable>(
  server: S,
  body: (client: Client<S>, revision: string) => void | Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  for (const revision of revisions) {
    const { id } = revision;
    if (options.revisions?.includes(id) === false) continue;
    try {
      await using client = await connect(server, { ...options, revisions: [id] });
      await body(client, id);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`In revision ${id}: ${why}${hintFor(cause, revision)}`, { cause });
    }
  }
}

/** What to do about a failure whose cause is probably something that the revision does not have. */
function hintFor(cause: unknown, { vocabulary, methods }: Revision): string {
  if (cause instanceof TypeError && vocabulary.structuredContent === 'nothing') return NO_DATA;
  return cause instanceof Error && cause.message.includes(FORM) && !methods.questions.has(FORM) ? NO_FORM : '';
}
