/** Types of `mooring lint`: rules, their subject and their findings. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import type { Prompt, ResourceTemplate, Tool } from '../../model/parts.ts';

export type Severity = 'error' | 'warning';

/** A server's definitions, including duplicates. */
export interface LintSubject {
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly templates: readonly ResourceTemplate[];
  /** Tools of other servers in the same host, if known. */
  readonly others?: readonly Tool[];
  /** Names of tools that were called and returned no structured data, if known. */
  readonly withoutData?: readonly string[];
}

export interface RuleMatch {
  /** `tool refund`. */
  readonly item: string;
  /** A predicate about the item: `has no description`. */
  readonly found: string;
}

export interface LintRule {
  /** Stable API: scripts compare it. */
  readonly id: string;
  /** An error keeps models from using an item, or clients from accepting it. */
  readonly severity: Severity;
  /** One imperative sentence. */
  readonly fix: string;
  check(subject: LintSubject): readonly RuleMatch[];
}

export interface LintFinding extends RuleMatch {
  readonly rule: string;
  readonly severity: Severity;
  readonly fix: string;
}

/** Creates a rule that checks each tool. `check` returns what is wrong, if anything. */
export const toolRule = (
  severity: Severity,
  id: string,
  { fix, check }: { fix: string; check(tool: Tool, subject: LintSubject): string | undefined },
): LintRule => ({
  id,
  severity,
  fix,
  check: (subject) =>
    subject.tools.flatMap((tool) => {
      const found = check(tool, subject);
      return found === undefined ? [] : [{ item: `tool ${tool.name}`, found }];
    }),
});

/** Creates a rule against tools of different names with the same key. An empty key is not compared. Linear: a list can be long. */
export const twinRule = (
  id: string,
  { fix, found, keyOf }: { fix: string; found: string; keyOf(tool: Tool): string },
): LintRule => ({
  id,
  severity: 'warning',
  fix,
  check({ tools }) {
    const names = new Map<string, Set<string>>();
    for (const tool of tools) names.set(keyOf(tool), (names.get(keyOf(tool)) ?? new Set()).add(tool.name));
    const groups = new Map([...names].map(([key, group]) => [key, [...group]] as const));
    return tools.flatMap((tool) => {
      const key = keyOf(tool);
      const group = groups.get(key) ?? [];
      if (key === '' || group.length < 2) return [];
      const twins = group.slice(0, MAX_SHOWN + 1).filter((name) => name !== tool.name);
      return [{ item: `tool ${tool.name}`, found: `${found} ${someOf(twins, group.length - 1)}` }];
    });
  },
});

const MAX_SHOWN = 8;

/** The first of `count` names: a server can have any number of them. */
export function someOf(names: readonly string[], count: number): string {
  const more = count > MAX_SHOWN ? ` and ${count - MAX_SHOWN} more` : '';
  return `${names.slice(0, MAX_SHOWN).join(', ')}${more}`;
}

/** Untrusted schemas can be any JSON: treats a non-object as `{}`. */
export const schemaObject = (schema: unknown): JsonObject => (isObject(schema) ? schema : {});
