/** A TypeScript module with the type of a server, as `connect` wants it. */
import type { Prompt } from '../../model/prompt.ts';
import type { Tool } from '../../model/tool.ts';
import type { Offer } from '../offer.ts';
import { type Declaration, SchemaTypes } from './schema-types.ts';
import { comment, Names, propertyKey, templateLiteral, textLiteral } from './words.ts';

/** Every file of ours begins like this, so that it can be told from one that somebody wrote. */
export const MARK = '// Made by `mooring types`; made again, it loses what was changed by hand.';

export function moduleText(offer: Offer): { readonly name: string; readonly text: string } {
  const { server, tools, prompts, resources, templates } = offer;
  const names = new Names(['Typed']);
  const name = names.fresh(server?.name ?? 'Server');
  const declared: Declaration[] = [];
  const toolLines = byName(tools).flatMap((tool) => toolText(tool, { names, declared }));
  const uris = new Set([
    ...resources.map(({ uri }) => textLiteral(uri)),
    ...templates.map(({ uriTemplate }) => templateLiteral(uriTemplate)),
  ]);
  const about = server === undefined ? 'A server without a name' : `${server.title ?? server.name} ${server.version}`;
  const text = [
    MARK,
    "import type { Typed } from 'mooring/client';",
    '',
    ...comment(`${about}: \`connect<${name}>(…)\` knows its names, arguments and results.`, ''),
    `export type ${name} = Typed<{`,
    ...block('tools', toolLines),
    ...block('prompts', byName(prompts).flatMap(promptText)),
    `  readonly resources: ${uris.size === 0 ? 'never' : [...uris].join(' | ')};`,
    '}>;',
    ...declared.flatMap((one) => ['', one.text]),
  ].join('\n');
  return { name, text: `${text}\n` };
}

interface Writing {
  readonly names: Names;
  readonly declared: Declaration[];
}

function toolText(tool: Tool, { names, declared }: Writing): readonly string[] {
  const { name, description, inputSchema, outputSchema } = tool;
  const typeOf = (schema: Tool['inputSchema'] | undefined, end: string): string => {
    if (schema === undefined) return 'unknown';
    const own = names.fresh(name, end);
    declared.push(...new SchemaTypes(schema, own, names).declarations());
    return own;
  };
  const types = `readonly input: ${typeOf(inputSchema, 'Input')}; readonly output: ${typeOf(outputSchema, 'Output')}`;
  return [...comment(description, '    '), `    readonly ${propertyKey(name)}: { ${types} };`];
}

function promptText({ name, description, arguments: args = [] }: Prompt): readonly string[] {
  const members = byName(args).flatMap((one) => {
    const type = one.required === true ? ': string' : '?: string | undefined';
    return [...comment(one.description, '        '), `        readonly ${propertyKey(one.name)}${type};`];
  });
  const lines = members.length === 0 ? ['        readonly [key: string]: never;'] : members;
  const head = `    readonly ${propertyKey(name)}: {`;
  return [...comment(description, '    '), head, '      readonly args: {', ...lines, '      };', '    };'];
}

const block = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [`  readonly ${name}: {};`] : [`  readonly ${name}: {`, ...lines, '  };'];

/** Of two with the same name, the first is the one that a client finds. */
const byName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] => {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(one.name)) found.set(one.name, one);
  return [...found.values()];
};
