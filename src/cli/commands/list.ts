/** `mooring list`: what a server offers. */
import { command, type Surroundings } from '../command.ts';
import { type Offer, offerOf } from '../offer.ts';
import { foreign, type Printer, table } from '../printer.ts';
import { promptSignature, toolSignature } from '../signature.ts';
import { openTarget } from '../target/open.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { noWords } from '../words.ts';

export const list = command({
  name: 'list',
  usage: ['<target>', '[options] -- <command> [argument …]'],
  about: 'Shows what a server offers: its tools with their arguments, its resources, templates and prompts.',
  options: targetOptions,
  examples: [
    ['mooring list https://example.com/mcp', 'a server at an address'],
    ['mooring list -- npx -y @modelcontextprotocol/server-everything', 'a server from npm'],
    ['mooring list ./server.ts --json', 'a module, for programs'],
  ],
  async run(input, { shell, print }: Surroundings) {
    const { target, words } = await targetIn(input, shell);
    noWords(words);
    await using client = await openTarget(target, { values: input.values, shell, print });
    const offer = await offerOf(client);
    print.data(offer);
    for (const line of offerLines(offer, print)) print.line(line);
    return undefined;
  },
});

function offerLines(offer: Offer, print: Printer): readonly string[] {
  const { server, revision, tools, resources, templates, prompts } = offer;
  const name = server === undefined ? 'A server without a name' : `${server.name} ${server.version}`;
  return [
    `${print.style('bold', foreign(name))}, revision ${revision}`,
    ...section(
      print,
      'Tools',
      tools.map((tool) => [toolSignature(tool.name, tool.inputSchema), tool.description]),
    ),
    ...section(
      print,
      'Resources',
      resources.map(({ uri, description, title, name: called }) => [uri, description ?? title ?? called]),
    ),
    ...section(
      print,
      'Templates',
      templates.map(({ uriTemplate, description, title, name: called }) => [
        uriTemplate,
        description ?? title ?? called,
      ]),
    ),
    ...section(
      print,
      'Prompts',
      prompts.map((prompt) => [promptSignature(prompt.name, prompt), prompt.description]),
    ),
  ];
}

function section(
  print: Printer,
  title: string,
  rows: readonly (readonly [string, string | undefined])[],
): readonly string[] {
  if (rows.length === 0) return [];
  return [
    '',
    print.style('bold', title),
    ...table(rows.map(([what, about = '']) => [foreign(what), foreign(about.split('\n')[0] ?? '')])),
  ];
}
