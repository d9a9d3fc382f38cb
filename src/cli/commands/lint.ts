/** `mooring lint`: definitions that a model cannot use well. */

import { suggest } from '../../model/suggest.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { findingCount, reportLines, toolCosts, totalCost } from '../lint/lint-report.ts';
import { lintSubject } from '../lint/lint-subject.ts';
import type { LintFinding } from '../lint/rule.ts';
import { lintFindings, lintRules } from '../lint/rules.ts';
import { failedData, tellFailures } from '../offer.ts';
import { connectTarget } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';

export const lint = command({
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `Find definitions that a model cannot use well, and suggest fixes.

Lint reads the tools, prompts, templates and instructions of a server: missing descriptions and annotations, schemas that no call can satisfy, names that applications reject, text that reads like an attack, and the tokens that each tool costs. It calls no tool.

An error keeps a tool from being used. A warning makes it harder to use.`,
  exits: [
    [0, 'no errors (with --strict: no warnings either)'],
    [1, 'at least one error, or a list failed'],
  ],
  options: {
    strict: { type: 'boolean', about: 'Exit with 1 on warnings too' },
    ignore: { type: 'string', multiple: true, value: 'rule', about: 'Leave out this rule (repeatable)' },
    ...targetOptions,
  },
  examples: [
    ['mooring lint ./server.ts'],
    ['mooring lint ./server.ts --strict --json', 'in CI'],
    ['mooring lint shop --ignore no-annotations'],
    ['mooring lint -- npx -y @modelcontextprotocol/server-everything'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const { target, words } = await targetIn(input, shell);
    rejectExtra(words);
    const ignored = knownRules(values.ignore ?? []);
    await using client = await connectTarget(target, { values, shell, print });
    const { subject, revision, failed } = await lintSubject(client, shell.signal);
    const findings = lintFindings(subject, ignored);
    const costs = toolCosts(subject.tools);
    print.data({
      server: subject.server,
      revision,
      findings,
      errors: findingCount(findings, 'error'),
      warnings: findingCount(findings, 'warning'),
      tokens: { total: totalCost(costs), tools: costs },
      ...failedData(failed),
    });
    for (const line of reportLines(findings, costs, { server: subject.server, shell, print })) print.line(line);
    return tellFailures(failed, { print }) ?? exitOf(findings, values.strict === true);
  },
});

function exitOf(findings: readonly LintFinding[], strict: boolean): ExitCode | undefined {
  return findingCount(findings, 'error') > 0 || (strict && findings.length > 0) ? exitCodes.no : undefined;
}

function knownRules(ids: readonly string[]): readonly string[] {
  const known = lintRules.map(({ id }) => id);
  const wrong = ids.find((id) => !known.includes(id));
  if (wrong !== undefined) throw badArgument(`--ignore ${wrong}`, `there is no such rule; ${suggest(wrong, known)}`);
  return ids;
}
