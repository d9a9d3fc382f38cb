/** `/read`: reads a resource, and finds its server by the URI. */
import { suggest } from '../../../model/suggest.ts';
import { fitsTemplate } from '../../../model/uri-template.ts';
import { badArgument, rejectExtra } from '../../arguments.ts';
import { showResource } from '../../content/show-results.ts';
import type { Chat, SlashCommand } from '../chat.ts';

export const readSlash: SlashCommand = {
  name: 'read',
  usage: '<uri> | <server> <uri>',
  about: 'Read a resource',
  completes: 'resources',
  async run(words, chat, signal) {
    const { server, uri } = await resourceIn(words, chat);
    const { contents } = await chat.session.read(server, uri, { signal });
    const { sink, lines } = chat.screen.collect();
    await showResource(contents, { sink });
    chat.screen.result({ type: 'resource', server, uri, contents }, lines);
  },
};

async function resourceIn(
  [first = '', second, ...more]: readonly string[],
  { host, session }: Chat,
): Promise<{ readonly server: string; readonly uri: string }> {
  rejectExtra(more);
  if (second !== undefined) {
    if (!host.servers.has(first))
      throw badArgument(first, `unknown server; ${suggest(first, [...host.servers.keys()])}`);
    return { server: first, uri: second };
  }
  const resources = await session.catalogue.resources();
  const exact = resources.find(({ name, definition }) => definition.uri === first || name === first);
  if (exact !== undefined) return { server: exact.server, uri: exact.definition.uri };
  const templates = await session.catalogue.templates();
  const fitting = templates.find(({ definition }) => fitsTemplate(definition.uriTemplate, first));
  if (fitting !== undefined) return { server: fitting.server, uri: first };
  const known = [...resources.map((one) => one.definition.uri), ...templates.map((one) => one.definition.uriTemplate)];
  throw badArgument(
    first === '' ? '/read' : first,
    `no server lists this resource (to read it anyway: /read <server> <uri>); ${suggest(first, known)}`,
  );
}
