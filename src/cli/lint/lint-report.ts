/** Formats lint findings: one block per rule, with its fix once. */
import type { Implementation } from '../../model/caller.ts';
import type { Tool } from '../../model/parts.ts';
import { printable } from '../../model/printable.ts';
import { columns, hanging } from '../columns.ts';
import type { CommandContext } from '../command.ts';
import { tokensOf } from './definition-checks.ts';
import type { LintFinding, Severity } from './rule.ts';

const MOST_EXPENSIVE = 5;

export interface ToolCost {
  readonly name: string;
  readonly tokens: number;
}

/** Sorted by tokens, descending. */
export const toolCosts = (tools: readonly Tool[]): readonly ToolCost[] =>
  tools.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) })).toSorted((a, b) => b.tokens - a.tokens);

export const totalCost = (costs: readonly ToolCost[]): number => costs.reduce((sum, { tokens }) => sum + tokens, 0);

export const findingCount = (findings: readonly LintFinding[], severity: Severity): number =>
  findings.filter((one) => one.severity === severity).length;

export function reportLines(
  findings: readonly LintFinding[],
  costs: readonly ToolCost[],
  { server, ...by }: CommandContext & { readonly server: Implementation | undefined },
): readonly string[] {
  const name = server === undefined ? 'A server without a name' : `${server.name} ${server.version}`;
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const blocks = rules.map((rule) =>
    ruleLines(
      findings.filter((one) => one.rule === rule),
      by,
    ),
  );
  return [by.print.style('bold', printable(name)), ...blocks.flat(), ...costLines(costs, by), '', summary(findings)];
}

function ruleLines(findings: readonly LintFinding[], { shell, print }: CommandContext): readonly string[] {
  const [first] = findings;
  if (first === undefined) return [];
  const { rule, severity, fix } = first;
  const title = `${severity === 'error' ? '✗' : '!'} ${severity}: ${rule}`;
  const indented = (text: string): string[] => hanging(printable(text), shell.stdout, '  ', '      ');
  return [
    '',
    print.style(severity === 'error' ? 'red' : 'yellow', title),
    ...findings.flatMap(({ item, found }) => indented(`${item} ${found}`)),
    ...indented(`Fix: ${fix}`),
  ];
}

function costLines(costs: readonly ToolCost[], { shell, print }: CommandContext): readonly string[] {
  if (costs.length === 0) return [];
  const total = `${counted(costs.length, 'tool')}, about ${counted(totalCost(costs), 'token')} in every request`;
  const most = costs.slice(0, MOST_EXPENSIVE);
  return [
    '',
    print.style('bold', `Cost: ${total}`),
    ...columns(
      most.map(({ name, tokens }) => [printable(name), tokens.toLocaleString('en')]),
      shell.stdout,
    ),
  ];
}

function summary(findings: readonly LintFinding[]): string {
  if (findings.length === 0) return 'No problems found.';
  const [errors, warnings] = [findingCount(findings, 'error'), findingCount(findings, 'warning')];
  return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`;
}

const counted = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
