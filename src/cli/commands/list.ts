/** `mooring list`: lists the tools, resources and prompts of a server, or describes one of them. */
import type { Resource, ResourceTemplate } from '../../model/parts.ts';
import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import type { Row } from '../columns.ts';
import { type CommandContext, command } from '../command.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { failedData, offerOfClient, reportListFailures, type ServerOffer } from '../offer.ts';
import { showItem } from '../signature/describe-item.ts';
import { promptSignature, section, toolSignature } from '../signature/item-lines.ts';
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
    return reportListFailures(failed, input);
  },
});

function offerLines(offer: ServerOffer, by: CommandContext): readonly string[] {
  const { server, revision, tools, resources, templates, prompts } = offer;
  const heading = server === undefined ? 'A server without a name' : `${server.name} ${server.version}`;
  const row = (what: string, about = ''): Row => [printable(what), printable(about.split('\n')[0] ?? '')];
  const described = ({ description, title, name }: Resource | ResourceTemplate): string => description ?? title ?? name;
  const toolRows = tools.map((one) => row(toolSignature(one.name, one.inputSchema), one.description));
  // A description that all resources of a template have does not tell them apart.
  const shared = new Set(templates.map(({ description }) => description));
  const resourceRows = resources.map((one) =>
    row(one.uri, shared.has(one.description) ? (one.title ?? one.name) : described(one)),
  );
  const templateRows = templates.map((one) => row(one.uriTemplate, described(one)));
  const promptRows = prompts.map((one) => row(promptSignature(one.name, one), one.description));
  return [
    `${by.print.style('bold', printable(heading))}, revision ${revision}`,
    ...section('Tools', toolRows, by),
    ...section('Resources', resourceRows, by),
    ...section('Templates', templateRows, by),
    ...section('Prompts', promptRows, by),
  ];
}
