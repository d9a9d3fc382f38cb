/** A TypeScript module with the type of a server, as `connect` wants it. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Prompt, Tool } from '../../model/parts.ts';
import { foreignChecker } from '../../schema/index.ts';
import type { ServerOffer } from '../offer.ts';
import { type Declaration, SchemaTypes } from './schema-types.ts';
import { commentLines, propertyKey, TakenNames, templateLiteral, textLiteral } from './type-text.ts';

type WarnUntyped = (why: string) => void;

/** Every file of ours begins like this, so that it differs from one that was written by hand. */
export const MARK = '// Made by `mooring types`; made again, it loses what was changed by hand.';

/** `warn` gets which schemas are too large to be written down; they are left open. */
export function moduleText(
  offer: Omit<ServerOffer, 'failed'>,
  warn: WarnUntyped,
): { readonly name: string; readonly text: string } {
  const { server, tools, prompts, resources, templates } = offer;
  const names = new TakenNames(['Typed']);
  const name = names.fresh(server?.name ?? 'Server');
  const declared: Declaration[] = [];
  const toolLines = byName(tools).flatMap((tool) => toolText(tool, { names, declared, warn }));
  const uris = new Set([
    ...resources.map(({ uri }) => textLiteral(uri)),
    ...templates.map(({ uriTemplate }) => templateLiteral(uriTemplate)),
  ]);
  const about = server === undefined ? 'A server without a name' : `${server.title ?? server.name} ${server.version}`;
  const text = [
    MARK,
    "import type { Typed } from 'mooring/client';",
    '',
    ...commentLines(`${about}: \`connect<${name}>(…)\` knows its names, arguments and results.`, ''),
    `export type ${name} = Typed<{`,
    ...block('tools', toolLines),
    ...block('prompts', byName(prompts).flatMap(promptText)),
    `  readonly resources: ${uris.size === 0 ? 'never' : [...uris].join(' | ')};`,
    '}>;',
    ...declared.flatMap((one) => ['', one.text]),
  ].join('\n');
  return { name, text: `${text}\n` };
}

interface ModuleWriter {
  readonly names: TakenNames;
  readonly declared: Declaration[];
  readonly warn: WarnUntyped;
}

function toolText({ name, description, inputSchema, outputSchema }: Tool, writing: ModuleWriter): readonly string[] {
  const { names, declared, warn } = writing;
  const typeOf = (schema: JsonObject, end: string): string | undefined => {
    if (!isLegible(schema, `the ${end.toLowerCase()} of tool "${name}"`, warn)) return undefined;
    const own = names.fresh(name, end);
    declared.push(...new SchemaTypes(schema, own, names).declarations());
    return own;
  };
  const input = typeOf(inputSchema, 'Input') ?? '{ readonly [key: string]: unknown }';
  const output = outputSchema && typeOf(outputSchema, 'Output');
  const types = `readonly input: ${input}; readonly output: ${output ?? 'unknown'}`;
  return [...commentLines(description, '    '), `    readonly ${propertyKey(name)}: { ${types} };`];
}

/** What is too large to be checked is not read for this either; what cannot be checked for other reasons is. */
function isLegible(schema: JsonObject, what: string, warn: WarnUntyped): boolean {
  try {
    foreignChecker(schema, what);
    return true;
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== 'MCP_SCHEMA_TOO_COSTLY') return true;
    warn(error.message);
    return false;
  }
}

function promptText({ name, description, arguments: args = [] }: Prompt): readonly string[] {
  const members = byName(args).flatMap((one) => {
    const type = one.required === true ? ': string' : '?: string | undefined';
    return [...commentLines(one.description, '        '), `        readonly ${propertyKey(one.name)}${type};`];
  });
  const about = commentLines(description, '    ');
  const key = propertyKey(name);
  if (members.length === 0)
    return [...about, `    readonly ${key}: { readonly args: { readonly [key: string]: never } };`];
  return [...about, `    readonly ${key}: {`, '      readonly args: {', ...members, '      };', '    };'];
}

const block = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [`  readonly ${name}: {};`] : [`  readonly ${name}: {`, ...lines, '  };'];

/** Of two with the same name, the first is the one that a client finds. */
const byName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] => {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(one.name)) found.set(one.name, one);
  return [...found.values()];
};
