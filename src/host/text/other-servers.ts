/** Text of one server that speaks of another. */
import { foldText } from './fold-text.ts';

/** What other servers are called, so that text about them is noticed. */
export interface OtherServers {
  readonly labels: ReadonlySet<string>;
  /** Their tools, as they read, as far as their names are names and no everyday words. */
  readonly tools: ReadonlySet<string>;
}

/** The names of all servers but this one, and of their tools that it does not have itself. `toolsOf` has those of every server, by label. */
export function namesOfOthers(label: string, toolsOf: ReadonlyMap<string, Iterable<string>>): OtherServers {
  const own = new Set(toolsOf.get(label));
  const others = [...toolsOf].filter(([one]) => one !== label);
  const tools = others.flatMap(([, names]) => [...names]).filter((name) => !own.has(name) && isDistinctive(name));
  return { labels: new Set(others.map(([one]) => one)), tools: new Set(tools.map(foldText)) };
}

/** Where they are named in text that `foldText` returned, and by which words. */
export function* findServerMentions(
  read: string,
  { labels, tools }: OtherServers,
): Generator<{ at: number; name: string }> {
  for (const { 0: token, index } of read.matchAll(/[\w.-]+/g)) {
    const name = withoutEnd(token);
    const label = /^(.+?)(?:\.|__)\w/.exec(name)?.[1] ?? '';
    const next = read.slice(index + token.length, index + token.length + 20);
    const spokenOf = labels.has(name) && /^["'`]? (?:mcp )?(?:server|tool)s?\b/.test(next);
    if (tools.has(name) || labels.has(label) || spokenOf) yield { at: index, name };
  }
}

/** Without the dots and hyphens that a sentence puts behind a name. Not by an expression: it would try each place of a long run. */
function withoutEnd(token: string): string {
  let end = token.length;
  while (end > 0 && '.-'.includes(token.charAt(end - 1))) end--;
  return token.slice(0, end);
}

/** `search` is a word like any other; `send_message` is a name. */
const isDistinctive = (name: string): boolean => name.length >= 6 && /[_.-]|[a-z][A-Z]/.test(name.slice(1, -1));
