/** From what a user named as a server to what opening it means. */
import { wayTo } from '../../connect/target.ts';
import { McpError } from '../../errors.ts';
import type { Act } from '../act.ts';
import { commandOpening } from './command-opening.ts';
import { type Opening, type OpeningOptions, opens } from './opening.ts';
import { type ServerSource, type Sorted, sorted } from './source.ts';
import { urlOpening } from './url-opening.ts';

/** Throws what the compiler would have said. */
export function checkSource(label: string, source: ServerSource): Sorted {
  const found = sorted(source);
  if (found !== undefined) return found;
  const why = `it must be a URL, { url }, { command, args }, a server, or a transport, not ${typeof source}`;
  throw new McpError('MCP_BAD_DEFINITION', { what: `The server "${label}"`, why });
}

export function openingOf(target: Sorted, options: OpeningOptions): Promise<Opening> {
  if (target.sort === 'command') return commandOpening(target.source, options);
  if (target.sort === 'url') return urlOpening(target.source, options);
  const inside = target.sort === 'process';
  const act: Act = {
    ...opens(options.label),
    name: inside ? 'a server in this process' : 'a transport of your own',
    // Nothing leaves this process until a tool does something.
    ...(inside ? { effects: 'read', openWorld: false } : {}),
  };
  return Promise.resolve({ act, warnings: [], way: async () => wayTo(target.source, options.connect) });
}
