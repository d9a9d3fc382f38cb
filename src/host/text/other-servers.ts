/** Finds text of one server that mentions another server or its tools. */
import { foldText } from './fold-text.ts';

/** Names of other servers and their tools, to detect text that mentions them. */
export interface OtherServers {
  readonly labels: ReadonlySet<string>;
  /** Folded names of their tools, except everyday words. */
  readonly tools: ReadonlySet<string>;
}

/** The labels of all other servers, and their tools that this server does not have. `toolsOf` has all tools by label. */
export function namesOfOthers(label: string, toolsOf: ReadonlyMap<string, Iterable<string>>): OtherServers {
  const own = new Set(toolsOf.get(label));
  const others = [...toolsOf].filter(([one]) => one !== label);
  const tools = others.flatMap(([, names]) => [...names]).filter((name) => !own.has(name) && isDistinctive(name));
  return { labels: new Set(others.map(([one]) => one)), tools: new Set(tools.map(foldText)) };
}

/** Finds mentions in text that `foldText` returned. */
export function* findServerMentions(
  folded: string,
  { labels, tools }: OtherServers,
): Generator<{ at: number; name: string }> {
  for (const { 0: token, index } of folded.matchAll(/[\w.-]+/g)) {
    const name = trimPunctuation(token);
    const label = /^(.+?)(?:\.|__)\w/.exec(name)?.[1] ?? '';
    const next = folded.slice(index + token.length, index + token.length + 20);
    const isServerName = labels.has(name) && /^["'`]? (?:mcp )?(?:server|tool)s?\b/.test(next);
    if (tools.has(name) || labels.has(label) || isServerName) yield { at: index, name };
  }
}

/** Removes dots and hyphens at the end. Without a regular expression, which would take quadratic time for a long run. */
function trimPunctuation(token: string): string {
  let end = token.length;
  while (end > 0 && '.-'.includes(token.charAt(end - 1))) end--;
  return token.slice(0, end);
}

/** `search` is an everyday word; `send_message` can only be a name. */
const isDistinctive = (name: string): boolean => name.length >= 6 && /[_.-]|[a-z][A-Z]/.test(name.slice(1, -1));
