/** Creates the error for an unknown server, tool, prompt or resource, with a suggestion. */
import { McpError } from '../../errors.ts';
import { suggest } from '../../model/suggest.ts';
import { escapeUnprintable } from '../text/invisible.ts';

/** `known` has the candidates for the suggestion. */
export function missingError(kind: string, name: unknown, known: readonly string[]): McpError<'MCP_NOT_FOUND'> {
  const what = `The ${kind} ${escapeUnprintable(JSON.stringify(name) ?? 'without a name').slice(0, 200)}`;
  const why = kind === 'server' ? 'this host has no server with this label' : 'no server of this host offers it';
  const hint = known.length === 0 ? '' : `; ${escapeUnprintable(suggest(String(name), known))}`;
  return new McpError('MCP_NOT_FOUND', { what, why: why + hint });
}
