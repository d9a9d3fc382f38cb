/** What a rule of `mooring lint` is, and what it looks at. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import type { Prompt, ResourceTemplate, Tool } from '../../model/parts.ts';

export type Severity = 'error' | 'warning';

/** A server as it lists itself: names that are there twice are there twice. */
export interface LintSubject {
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly templates: readonly ResourceTemplate[];
  /** The tools of other servers that a model sees too, where they are known. */
  readonly others?: readonly Tool[];
  /** The names of tools that were called and returned no data, where they were called. */
  readonly withoutData?: readonly string[];
}

export interface RuleMatch {
  /** `tool refund`. */
  readonly item: string;
  /** A statement about the item, without its name. */
  readonly found: string;
}

export interface LintRule {
  /** Promised: scripts compare it. */
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

/** A rule about single tools; `check` says what is wrong with one. */
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

/** Schemas come from servers, and can be anything. */
export const schemaObject = (schema: unknown): JsonObject => (isObject(schema) ? schema : {});
