/** The first place where two JSON values part. */
import { isObject } from '../../jsonrpc/message.ts';

export interface MessageDifference {
  /** `result.tools.0.description`; empty where all of it differs. */
  readonly at: string;
  readonly recorded: unknown;
  readonly live: unknown;
}

/** Undefined where they are the same. */
export function differenceIn(
  recorded: unknown,
  live: unknown,
  at: readonly string[] = [],
): MessageDifference | undefined {
  const lists = Array.isArray(recorded) && Array.isArray(live);
  if (!lists && !(isObject(recorded) && isObject(live)))
    return Object.is(recorded, live) ? undefined : { at: at.join('.'), recorded, live };
  const [then, now] = [membersOf(recorded), membersOf(live)];
  for (const key of new Set([...then.keys(), ...now.keys()])) {
    const found = differenceIn(then.get(key), now.get(key), [...at, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const membersOf = (value: object): ReadonlyMap<string, unknown> => new Map(Object.entries(value));
