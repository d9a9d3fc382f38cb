/** `mooring lint`: finds definitions that a model cannot use well. */
import type { Client } from '../../client/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { suggest } from '../../model/suggest.ts';
import { dropInvalidMembers, lists } from '../../revisions/decode-lists.ts';
import { badArgument } from '../arguments.ts';
import { command, flag, repeatable } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findingCount, reportLines, toolCosts, totalCost } from '../lint/lint-report.ts';
import type { LintSubject } from '../lint/rule.ts';
import { lintFindings, lintRules } from '../lint/rules.ts';
import { failedData, offerOfClient, rawItems, reportListFailures, type ServerOffer } from '../offer.ts';
import { connectTarget } from '../target/connect-target.ts';
import { targetOptions } from '../target/options.ts';
import { onlyTarget } from '../target/target.ts';

export const lint = command('lint', {
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `Find definitions that a model cannot use well, and suggest fixes.

Lint reads the tools, prompts, templates and instructions of a server: missing descriptions and annotations, schemas that no call can satisfy, names that applications reject, text that reads like an attack, and the tokens that each tool costs. It calls no tool.

An error keeps a tool from being used. A warning makes it harder to use.`,
  exits: [
    [0, 'no errors (with --strict: no warnings either)'],
    [1, 'at least one error, or a list failed'],
  ],
  options: {
    strict: flag('Exit with 1 on warnings too'),
    ignore: repeatable('rule', 'Leave out this rule'),
    ...targetOptions,
  },
  examples: [
    ['mooring lint ./server.ts'],
    ['mooring lint ./server.ts --strict --json', 'in CI'],
    ['mooring lint shop --ignore no-annotations'],
    ['mooring lint -- npx -y @modelcontextprotocol/server-everything'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const target = await onlyTarget(input);
    const ignored = knownRules(values.ignore ?? []);
    await using client = await connectTarget(target, input);
    const { subject, revision, failed } = await readSubject(client, shell.signal);
    const findings = lintFindings(subject, ignored);
    const costs = toolCosts(subject.tools);
    const { server } = subject;
    const [errors, warnings] = [findingCount(findings, 'error'), findingCount(findings, 'warning')];
    const tokens = { total: totalCost(costs), tools: costs };
    print.result(
      { server, revision, findings, errors, warnings, tokens, ...failedData(failed) },
      reportLines(findings, costs, { server, shell, print }),
    );
    const isBad = errors > 0 || (values.strict === true && warnings > 0);
    return reportListFailures(failed, input) ?? (isBad ? exitCodes.no : undefined);
  },
});

function knownRules(ids: readonly string[]): readonly string[] {
  const known = lintRules.map(({ id }) => id);
  const wrong = ids.find((id) => !known.includes(id));
  if (wrong !== undefined) throw badArgument(`--ignore ${wrong}`, `unknown rule; ${suggest(wrong, known)}`);
  return ids;
}

async function readSubject(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly subject: LintSubject } & Pick<ServerOffer, 'revision' | 'failed'>> {
  const { failed, revision, server, instructions, tools, prompts, templates } = await offerOfClient(client, signal);
  // Unfiltered: the client drops malformed tools and duplicates, which lint reports.
  const raw =
    tools.length === 0 && client.server.capabilities.tools === undefined
      ? []
      : await rawItems(client, lists.tools, signal).catch(() => {
          signal.throwIfAborted();
          return tools;
        });
  return {
    subject: { server, instructions, tools: raw.filter(isTool).map(dropInvalidMembers), prompts, templates },
    revision,
    failed,
  };
}

/** Checks the name only; the rules handle all other malformed members. */
const isTool = (item: unknown): item is Tool => isObject(item) && typeof item['name'] === 'string';
