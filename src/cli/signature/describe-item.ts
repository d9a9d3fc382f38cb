/** Describes the tools, prompts and resources with a given name or URI. */
import type { Resource, ResourceTemplate } from '../../model/parts.ts';
import { shellWord } from '../../model/shell-word.ts';
import { suggest } from '../../model/suggest.ts';
import { fitsTemplate, UriTemplate } from '../../model/uri-template.ts';
import { badArgument } from '../arguments.ts';
import type { ExitCode } from '../exit-codes.ts';
import { failedData, reportListFailures, type ServerOffer } from '../offer.ts';
import type { TargetInput } from '../target/options.ts';
import { exampleCall, exampleLine, promptExample } from './example-call.ts';
import { promptLines, resourceLines, toolLines } from './item-lines.ts';

export type NamedItems = Pick<ServerOffer, 'tools' | 'resources' | 'templates' | 'prompts'>;

/** Throws `MCP_BAD_ARGUMENT` if no item has this name, unless a list failed, which could contain it. */
function itemsNamed(name: string, offer: ServerOffer): NamedItems {
  const { tools, prompts, resources, templates, failed } = offer;
  const found: NamedItems = {
    tools: tools.filter((one) => one.name === name),
    prompts: prompts.filter((one) => one.name === name),
    resources: resources.filter((one) => one.uri === name || one.name === name),
    templates: templates.filter((one) => one.uriTemplate === name || one.name === name || covers(one, name)),
  };
  if (failed.length > 0 || Object.values(found).some((all) => all.length > 0)) return found;
  const known = [
    ...[...tools, ...prompts].map((one) => one.name),
    ...resources.map((one) => one.uri),
    ...templates.map((one) => one.uriTemplate),
  ];
  throw badArgument(name, `unknown tool, prompt or resource; ${suggest(name, known)}`);
}

const covers = ({ uriTemplate }: ResourceTemplate, uri: string): boolean =>
  uri.includes(':') && fitsTemplate(uriTemplate, uri);

/** Separates items with a blank line. */
async function describeItems(
  items: NamedItems,
  input: TargetInput,
): Promise<{ readonly lines: readonly string[]; readonly examples: readonly string[] }> {
  const blocks: (readonly string[])[] = [];
  const examples: string[] = [];
  const add = (words: readonly string[], describe: (words: readonly string[]) => readonly string[]): void => {
    examples.push(words.join(' '));
    blocks.push(describe(words));
  };
  const line = (verb: string, words: readonly string[]): readonly string[] => exampleLine(verb, words, input);
  for (const tool of items.tools)
    add(line('call', await exampleCall(tool, input.shell)), (call) => toolLines(tool, call, input));
  for (const prompt of items.prompts)
    add(line('prompt', promptExample(prompt)), (call) => promptLines(prompt, call, input));
  for (const one of [...items.resources, ...items.templates])
    add(line('read', readWords(one)), (read) => resourceLines(one, read, input));
  return { lines: blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block])), examples };
}

function readWords(one: Resource | ResourceTemplate): readonly string[] {
  if ('uri' in one) return [shellWord(one.uri)];
  return [one.uriTemplate, ...variablesIn(one.uriTemplate).map((name) => `${name}=text`)].map(shellWord);
}

function variablesIn(template: string): readonly string[] {
  try {
    return new UriTemplate(template).variables;
  } catch {
    return [];
  }
}

/** For `mooring list <target> <tool>` and `mooring call <target> <tool> --help`. With --json, filters the output of `mooring list`. */
export async function showItem(name: string, offer: ServerOffer, input: TargetInput): Promise<ExitCode | undefined> {
  const { server, revision, failed } = offer;
  const items = itemsNamed(name, offer);
  const { lines, examples } = await describeItems(items, input);
  input.print.result({ server, revision, ...items, examples, ...failedData(failed) }, lines);
  return reportListFailures(failed, input);
}
