/** From what a user named as a server to what opening it means. */
import { planConnection } from '../../connect/target.ts';
import { McpError } from '../../errors.ts';
import type { Act } from '../act/act.ts';
import { commandOpening } from './command-opening.ts';
import { type ComparedOpening, type OpeningOptions, opens, type ServerOpening } from './opening.ts';
import { type ServerSource, type Sorted, sorted } from './source.ts';
import type { LookupContext, Lookups } from './texts.ts';
import { urlOpening } from './url-opening.ts';

/** Throws what the compiler would have said. */
export function checkSource(label: string, source: ServerSource): Sorted {
  const found = sorted(source);
  if (found !== undefined) return found;
  const why = `it must be a URL, { url }, { command, args }, a server, or a transport, not ${typeof source}`;
  throw new McpError('MCP_BAD_DEFINITION', { what: `The server "${label}"`, why });
}

export async function openingOf(target: Sorted, options: OpeningOptions): Promise<ComparedOpening> {
  const lookups = remembering(options.lookups);
  const made = (): Promise<ServerOpening> => opened(target, { ...options, lookups });
  const current = async (): Promise<Pick<Act, 'definition'>> => ({ definition: (await made()).act.definition });
  return { ...(await made()), current };
}

function opened(target: Sorted, options: OpeningOptions): Promise<ServerOpening> {
  if (target.sort === 'command') return commandOpening(target.source, options);
  if (target.sort === 'url') return urlOpening(target.source, options);
  const inside = target.sort === 'process';
  const act: Act = {
    ...opens(options.label),
    name: inside ? 'a server in this process' : 'a transport of your own',
    // Nothing leaves this process until a tool does something.
    ...(inside ? { effects: 'read', openWorld: false } : {}),
  };
  return Promise.resolve({ act, warnings: [], way: async () => planConnection(target.source, options.connect) });
}

/** What somebody had to look up or enter for one opening is not asked for again. */
function remembering({ secrets, inputs, ...rest }: Lookups): Lookups {
  return {
    ...rest,
    secrets: secrets && once(secrets, (name) => name),
    inputs: inputs && once(inputs, ({ id }) => id),
  };
}

function once<T>(
  find: (what: T, asking: LookupContext) => string | Promise<string>,
  keyOf: (what: T) => string,
): (what: T, asking: LookupContext) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return async (what, asking) => {
    const key = keyOf(what);
    const answer = known.get(key) ?? Promise.resolve(find(what, asking));
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}
