/** `/tools`: lists or searches the catalogue of all servers. */
import { countOf } from '../../printer.ts';
import { catalogueLines, listCatalogue, type OfferedItem } from '../catalogue-text.ts';
import type { Chat, SlashCommand } from '../chat.ts';

export const toolsSlash: SlashCommand = {
  name: 'tools',
  usage: '[search]',
  about: 'List tools, resources and prompts, or search them',
  async run(words, chat) {
    const offered = await listCatalogue(chat.session);
    const matching = words.length === 0 ? undefined : await matchesOf(words.join(' '), chat);
    const shown = matching === undefined ? offered : offered.filter(({ name }) => matching.has(name));
    await showCatalogue(shown, chat, { whole: matching === undefined });
  },
};

/** With `whole`, also shows the counts and the problems of servers. */
export async function showCatalogue(
  offered: readonly OfferedItem[],
  { host, session, screen, shell }: Chat,
  { whole }: { readonly whole: boolean },
): Promise<void> {
  const { print } = screen;
  const columns = shell.stdout.columns || 100;
  const lines = await catalogueLines(host, offered, { print, columns });
  const problems = whole ? session.catalogue.problems() : [];
  screen.result({ type: 'catalogue', offered, problems }, [
    ...(whole ? [print.style('bold', countText(offered, host.servers.size))] : []),
    ...(whole ? lines : lines.filter((line) => line.startsWith('  '))),
    ...(offered.length === 0 ? ['', whole ? 'No tools, resources or prompts.' : 'No matches.'] : []),
    ...problems.map(({ server, why }) => print.style('yellow', `! ${server}: ${why}`)),
  ]);
}

async function matchesOf(query: string, { session }: Chat): Promise<ReadonlySet<string>> {
  const found = await session.catalogue.search(query, ['tool', 'prompt', 'resource', 'template']);
  return new Set(found.map(({ kind, name, key }) => (kind === 'tool' || kind === 'prompt' ? name : key)));
}

const countText = (offered: readonly OfferedItem[], servers: number): string =>
  [
    countOf(servers, 'server'),
    ...(['tool', 'resource', 'template', 'prompt'] as const).flatMap((kind) => {
      const count = offered.filter((one) => one.kind === kind).length;
      return count === 0 ? [] : [countOf(count, kind)];
    }),
  ].join(', ');
