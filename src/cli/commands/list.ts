/** `mooring list`: what a server offers. */
import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import { columns, type Row } from '../columns.ts';
import { type CommandContext, command } from '../command.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { failedData, offerOfClient, type ServerOffer, tellFailures } from '../offer.ts';
import { showItem } from '../signature/describe-item.ts';
import { promptSignature, toolSignature } from '../signature/item-lines.ts';
import { targetIn } from '../target/target.ts';

export const list = command('list', {
  usage: ['<target> [<tool | prompt | uri>] [options]', '[<tool | prompt | uri>] [options] -- <command> [argument …]'],
  about: `List the tools, resources, resource templates and prompts of a server.

Add the name of a tool or prompt, or the URI of a resource, to see its parameters, its result and an example call.`,
  exits: [
    [0, 'everything was listed'],
    [1, 'a list failed; its method and error are on standard error'],
  ],
  options: hostOptions,
  examples: [
    ['mooring list https://example.com/mcp'],
    ['mooring list ./shop.ts refund', 'one tool, as a signature'],
    ['mooring list ./server.ts --json'],
    ['mooring list -- npx -y @modelcontextprotocol/server-everything'],
  ],
  async run(input) {
    const { shell, print } = input;
    const { target, words } = await targetIn(input);
    const [name, ...extra] = words;
    rejectExtra(extra);
    await using opened = await openHost(target, input);
    const offer = await offerOfClient(opened.client, shell.signal);
    if (name !== undefined) return await showItem(name, offer, input);
    const { failed, ...rest } = offer;
    print.result({ ...rest, ...failedData(failed) }, offerLines(offer, input));
    return tellFailures(failed, input);
  },
});

function offerLines(offer: ServerOffer, by: CommandContext): readonly string[] {
  const { server, revision, tools, resources, templates, prompts } = offer;
  const name = server === undefined ? 'A server without a name' : `${server.name} ${server.version}`;
  return [
    `${by.print.style('bold', printable(name))}, revision ${revision}`,
    ...section(
      by,
      'Tools',
      tools.map((tool) => [toolSignature(tool.name, tool.inputSchema), tool.description]),
    ),
    ...section(
      by,
      'Resources',
      resources.map(({ uri, description, title, name: called }) => [uri, description ?? title ?? called]),
    ),
    ...section(
      by,
      'Templates',
      templates.map(({ uriTemplate, description, title, name: called }) => [
        uriTemplate,
        description ?? title ?? called,
      ]),
    ),
    ...section(
      by,
      'Prompts',
      prompts.map((prompt) => [promptSignature(prompt.name, prompt), prompt.description]),
    ),
  ];
}

function section(
  { shell, print }: CommandContext,
  title: string,
  rows: readonly (readonly [string, string | undefined])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.map(([what, about = '']): Row => [printable(what), printable(about.split('\n')[0] ?? '')]);
  return ['', print.style('bold', title), ...columns(shown, shell.stdout)];
}
