/** `mooring gateway explain`: shows what the rules of a gateway file decide about one name and one caller. */
import { explainName, type FileExplanation } from '../../gateway/file/explain-file.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { printable } from '../../model/printable.ts';
import { nearestNames } from '../../model/suggest.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { command, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { countText, fileIn, findingLine, readFileFor } from '../gateway/file-report.ts';

export const gatewayExplain = command('gateway explain', {
  usage: ["<file> <name> [--as '<claims>'] [--view <name>]"],
  about: `Show what a caller can do with a tool or resource, and why.

The output shows whether the name is listed, which rule decides, and which credentials and upstream a call would use.

Only the file is read; no upstream is contacted. Explain therefore cannot tell whether an upstream lists the name, or which annotations its tools have.`,
  exits: [
    [0, 'the caller can call it'],
    [1, 'it is denied, or the view does not have it'],
  ],
  options: {
    as: withValue('claims', "Claims of the caller's token, as JSON (default: no token)"),
    view: withValue('name', 'The view that is called (default: default)'),
  },
  examples: [
    [`mooring gateway explain gateway.yaml shop__refund --as '{"sub":"ada","scope":"shop:read"}'`],
    ['mooring gateway explain gateway.yaml shop+file:///orders --view ops --json'],
  ],
  async run({ words, values, shell, print }) {
    const [first, name, ...rest] = words;
    const file = fileIn(first === undefined ? [] : [first], shell);
    if (name === undefined) throw badArgument('<name>', 'expected the name of a tool or the URI of a resource');
    rejectExtra(rest);
    const { config, findings } = await readFileFor(file.path, shell);
    if (config === undefined) {
      for (const finding of findings) print.note(findingLine(finding, file.name, print, 'stderr'));
      print.note(countText(findings));
      return exitCodes.usage;
    }
    if (JSON.stringify(config.policy ?? []).includes('"effects":'))
      print.note(
        'Rules with "effects" are decided as for a tool without annotations, because the file has no annotations.',
      );
    const view = values.view ?? 'default';
    const found = explainName(config, name, { claims: claimsIn(values.as), view });
    print.data({ name, view, upstreams: found });
    if (found.length === 0) {
      const labels = Object.keys(config.upstreams ?? {});
      print.line(`No upstream of the view "${printable(view)}" matches the name ${printable(name)}.`);
      const likely = withSimilarLabel(name, labels).map(printable);
      print.line(
        likely.length > 0
          ? `Did you mean ${likely.join(' or ')}?`
          : `Write the name as callers see it: label__tool or label+URI (labels in this file: ${printable(labels.join(', '))}).`,
      );
    }
    for (const one of found) for (const line of linesOf(one)) print.line(line);
    return found.some(({ verdict }) => verdict !== 'deny') ? undefined : exitCodes.no;
  },
});

function claimsIn(text: string | undefined): JsonObject | undefined {
  const claims = text === undefined ? undefined : parseObject(text);
  if (text !== undefined && claims === undefined)
    throw badArgument(`--as ${text.slice(0, 80)}`, 'expected a JSON object of claims');
  return claims;
}

/** The name with labels that are similar to its own. */
function withSimilarLabel(name: string, labels: readonly string[]): readonly string[] {
  const [, label = '', rest = ''] = /^(.+?)((?:__|\+).*)$/s.exec(name) ?? [];
  const others = labels.filter((one) => one !== label);
  return nearestNames(label, others).map((one) => one + rest);
}

function linesOf(one: FileExplanation): readonly string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['listed', one.isListed ? `yes, if ${one.upstream} has it` : 'no'],
    ['call', one.verdict],
    ['rule', `${one.rule}${one.why === '' ? '' : ` (${one.why})`}`],
    ...one.onArguments.map((rule) => ['by arguments', rule] as const),
    ...one.budgets.map((rule) => ['budget', rule] as const),
    ['upstream', `${one.upstream} (${one.target})`],
    ['sent as', one.name],
    ['credentials', one.credential],
    ['conversation', one.conversation],
    ['revision', one.revisions],
  ];
  return rows.map(([what, value]) => `${`${what}:`.padEnd(14)}${printable(value)}`);
}
