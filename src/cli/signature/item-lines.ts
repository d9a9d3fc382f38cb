/** Describes one tool, prompt, resource or template: signature, description, parameters, result and example. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../model/parts.ts';
import { printable, printableIndented } from '../../model/printable.ts';
import { columns, hanging, type Row, widthOfText, wrap } from '../columns.ts';
import type { CommandContext } from '../command.ts';
import { inlineType } from './inline-type.ts';
import { parameterRows } from './parameter-rows.ts';

export function toolLines(tool: Tool, call: readonly string[], by: CommandContext): readonly string[] {
  const { name, title, description, inputSchema, outputSchema } = tool;
  return [
    ...signatureLines(`${name}${typedParameters(inputSchema)}${resultType(outputSchema)}`, by),
    ...prose(description ?? title, by),
    ...section('Parameters', parameterRows(inputSchema), by),
    ...section('Result', outputSchema === undefined ? [] : parameterRows(outputSchema), by),
    ...paragraph('Behavior', `${capitalized(behaviorOf(tool).join('; '))}.`, by),
    ...example(call, by),
  ];
}

export function promptLines(prompt: Prompt, call: readonly string[], by: CommandContext): readonly string[] {
  const rows = (prompt.arguments ?? []).map(
    ({ name, title, description, required }): Row => [
      printable(`${name}${required === true ? '' : '?'}: string`),
      printable((description ?? title ?? '').replace(/\s+/g, ' ')),
    ],
  );
  return [
    ...signatureLines(promptSignature(prompt.name, prompt), by),
    ...prose(prompt.description ?? prompt.title, by),
    ...section('Arguments', rows, by),
    ...example(call, by),
  ];
}

export function resourceLines(
  one: Resource | ResourceTemplate,
  read: readonly string[],
  by: CommandContext,
): readonly string[] {
  const { name, title, description, mimeType, annotations } = one;
  const size = 'size' in one ? one.size : undefined;
  const rows: readonly Row[] = [
    ['name', printable(title === undefined || title === name ? name : `${name} (${title})`)],
    ...(mimeType === undefined ? [] : [['type', printable(mimeType)] as const]),
    ...(size === undefined ? [] : [['size', `${size} bytes`] as const]),
    ...(annotations?.audience === undefined ? [] : [['audience', printable(annotations.audience.join(', '))] as const]),
    ...(annotations?.lastModified === undefined ? [] : [['modified', printable(annotations.lastModified)] as const]),
  ];
  return [
    ...signatureLines('uri' in one ? one.uri : one.uriTemplate, by),
    ...prose(description, by),
    ...section('About', rows, by),
    ...example(read, by),
  ];
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `(order: string, days?: integer)` */
function typedParameters(schema: JsonObject): string {
  const type = inlineType({ ...schema, type: 'object' }, schema);
  return /^\{ (?!\[)/.test(type) ? `(${type.slice(2, -2)})` : type === 'object' ? '()' : `(${type})`;
}

const resultType = (schema: JsonObject | undefined): string =>
  schema === undefined ? '' : `: ${inlineType(schema, schema)}`;

const signatureLines = (text: string, { shell, print }: CommandContext): readonly string[] =>
  hanging(printable(text), shell.stdout, '', '  ').map((line) => print.style('bold', line));

/** Wraps each line, and keeps paragraphs and lists. Sanitized and indented, so that the text cannot forge a heading. */
function prose(text: string | undefined, { shell }: CommandContext): readonly string[] {
  if (text === undefined || text.trim() === '') return [];
  const width = widthOfText(shell.stdout);
  return [
    '',
    ...printableIndented(text.trim())
      .split('\n')
      .flatMap((line) => wrapLine(line, width)),
  ];
}

function wrapLine(line: string, width: number): readonly string[] {
  const [margin = ''] = /^\s*/.exec(line.slice(0, 8)) ?? [];
  const lines = wrap(line, width - margin.length);
  return lines.length === 0 ? [''] : lines.map((one) => margin + one);
}

/** Empty without rows. */
export const section = (title: string, rows: readonly Row[], { shell, print }: CommandContext): readonly string[] =>
  rows.length === 0 ? [] : ['', print.style('bold', title), ...columns(rows, shell.stdout)];

/** Breaks a command with `\` at line ends, so that it can be copied as a whole. */
function example(words: readonly string[], { shell, print }: CommandContext): readonly string[] {
  const width = widthOfText(shell.stdout) - 2;
  const lines: string[] = [];
  let line = ' ';
  for (const word of words.map(printable)) {
    if (lines.length + line.length > 1 && line.length + 1 + word.length > width) {
      lines.push(`${line} \\`);
      line = '   ';
    }
    line += ` ${word}`;
  }
  return ['', print.style('bold', 'Example'), ...lines, line];
}

const paragraph = (title: string, text: string, { shell, print }: CommandContext): readonly string[] => [
  '',
  print.style('bold', title),
  ...hanging(printable(text), shell.stdout),
];

/** The tool's annotations in words. They are unverified hints. */
function behaviorOf({ annotations = {}, execution }: Tool): readonly string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const isStated = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint].some((hint) => hint !== undefined);
  const writes = readOnlyHint !== true;
  return [
    ...(isStated ? [] : ['not stated: clients assume that it changes and deletes data']),
    ...(readOnlyHint === true ? ['reads only'] : []),
    ...(isStated && writes ? [destructiveHint === false ? 'adds data, deletes none' : 'changes and deletes data'] : []),
    ...(writes && idempotentHint === true ? ['a repeated call has no further effect'] : []),
    ...(openWorldHint === true ? ['reaches other systems'] : []),
    ...(openWorldHint === false ? ['reaches no other systems'] : []),
    ...(execution?.taskSupport === 'required' ? ['runs as a task only'] : []),
    ...(execution?.taskSupport === 'optional' ? ['can run as a task'] : []),
  ];
}

/** `refund(order, days?)`: `?` marks optional parameters. */
export function toolSignature(name: string, { properties, required }: JsonObject): string {
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return `${name}(${Object.keys(isObject(properties) ? properties : {})
    .map((key) => (needed.has(key) ? key : `${key}?`))
    .join(', ')})`;
}

export const promptSignature = (name: string, { arguments: args = [] }: Pick<Prompt, 'arguments'>): string =>
  `${name}(${args.map((one) => (one.required === true ? one.name : `${one.name}?`)).join(', ')})`;
