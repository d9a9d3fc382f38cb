/** Words of a command line that nobody knows what to do with. */
import { badArgument } from './arguments.ts';

/** A word too many is a mistake, and not to be passed over. */
export function noWords([extra]: readonly string[]): void {
  if (extra !== undefined) throw badArgument(extra, 'this was not expected here; see --help');
}
