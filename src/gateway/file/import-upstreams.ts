/** Imports the servers of applications' configuration files as upstreams. */
import { messageOf } from '../../errors.ts';
import { readConfig } from '../../host/config/read-config.ts';
import type { CommandSource, UrlSource } from '../../host/config/source.ts';
import { resolveCommand } from '../../host/servers/plan-command.ts';
import { resolveUrl } from '../../host/servers/plan-url.ts';
import { TextResolver } from '../../host/servers/text-resolver.ts';
import { defined } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import { Masks } from '../../model/secrets.ts';
import type { FileTree } from './file-tree.ts';
import type { FindNamed } from './fill-tree.ts';
import type { UpstreamEntry } from './gateway-file.ts';
import { upstreamTemplateFault, upstreamUrlFault } from './upstream-url-fault.ts';

export interface ImportContext {
  readonly find: FindNamed;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly folder: string;
}

/** Returns upstreams by label. Mistakes in the imported files are reported at `import`. */
export async function importUpstreams(
  tree: FileTree,
  paths: readonly string[],
  context: ImportContext,
): Promise<Readonly<Record<string, UpstreamEntry>>> {
  const upstreams = new Map<string, UpstreamEntry>();
  if (paths.length === 0) return {};
  const { servers, faults } = await readConfig(...paths);
  for (const { message } of faults) tree.error(['import'], printable(message));
  const names = new Map<string, string>();
  for (const [label, source] of Object.entries(servers)) {
    const name = source.from?.name ?? label;
    const own = labelOf(label);
    const other = names.get(own);
    if (other !== undefined) {
      const both = `the servers ${JSON.stringify(other)} and ${JSON.stringify(name)}`;
      tree.error(['import'], printable(`${both} would both be the upstream "${own}"; rename one of them`));
    }
    names.set(own, name);
    try {
      upstreams.set(own, await entryOf(label, source, context));
    } catch (thrown) {
      tree.error(['import'], printable(messageOf(thrown)));
    }
  }
  return Object.fromEntries(upstreams);
}

/** A gateway's label allows fewer characters than a host's. */
const labelOf = (name: string): string =>
  name
    .replaceAll('_', '-')
    .replace(/^[^a-z]/, 'x$&')
    .slice(0, 24)
    .replace(/-+$/, '');

async function entryOf(
  label: string,
  source: CommandSource | UrlSource,
  { find, env, home, folder }: ImportContext,
): Promise<UpstreamEntry> {
  const secrets = (name: string): Promise<string> => find('secret', name);
  const lookups = { env, userHome: home, cwd: folder, secrets, inputs: undefined };
  const masks = new Masks();
  const texts = new TextResolver({ label, from: source.from, lookups, masks });
  if (!('url' in source)) {
    const { env: variables, ...rest } = await resolveCommand(source, texts, masks);
    return defined<UpstreamEntry>({ ...rest, env: Object.fromEntries(variables) });
  }
  const entry = await resolveUrl(source, texts);
  const template = typeof source.url === 'object' && 'template' in source.url ? source.url.template : '';
  const why = upstreamTemplateFault(template) ?? upstreamUrlFault(entry.url);
  if (why !== undefined) throw new Error(`the server "${label}": ${why}`);
  return entry;
}
