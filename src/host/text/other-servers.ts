/** Finds text of one server that mentions another server or its tools. */
import { foldText } from './fold-text.ts';

/** Names of other servers and their tools, to detect text that mentions them. */
export interface OtherServers {
  readonly labels: ReadonlySet<string>;
  /** Folded names of their tools, except everyday words. */
  readonly tools: ReadonlySet<string>;
}

/** The same, from an index of all servers. */
export type NamesOfOthers = { readonly [K in keyof OtherServers]: Pick<OtherServers[K], 'has'> };

/** An index of the names of servers and tools, which all servers share: a set of the others for each would take quadratic memory. */
export class ServerNames {
  readonly #labels: ReadonlySet<string>;
  /** The labels of the servers that have a tool, by its folded name. */
  readonly #tools: Map<string, Set<string>> = new Map();
  readonly #others: Map<string, NamesOfOthers> = new Map();

  /** `toolsOf` has all tools by label. */
  constructor(toolsOf: ReadonlyMap<string, Iterable<string>>) {
    this.#labels = new Set(toolsOf.keys());
    for (const [label, names] of toolsOf)
      for (const name of names) {
        if (!isDistinctive(name)) continue;
        const folded = foldText(name);
        this.#tools.set(folded, (this.#tools.get(folded) ?? new Set()).add(label));
      }
  }

  /** The labels of all other servers, and their tools that this server does not have. The same object for each call. */
  othersOf(label: string): NamesOfOthers {
    const others = this.#others.get(label) ?? {
      labels: { has: (one: string) => one !== label && this.#labels.has(one) },
      tools: { has: (name: string) => this.#tools.get(name)?.has(label) === false },
    };
    this.#others.set(label, others);
    return others;
  }
}

/** Finds mentions in text that `foldText` returned. */
export function* findServerMentions(
  folded: string,
  { labels, tools }: NamesOfOthers,
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
