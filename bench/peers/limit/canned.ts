/** Responses for clients under test: handshake, discovery, tool list and echo. */
import { STATELESS_ERA } from '../../wire.ts';
import { SERVER } from '../../work.ts';
import { answer, type Request, tools } from './answer.ts';

/** The members that 2026-07-28 adds to every result. */
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } as const;
const list = tools(2);

export function canned(message: Request, era: 'session' | 'stateless'): string {
  const { id, method, params } = message;
  const result = (value: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id, result: era === 'stateless' ? { ...complete, ...value } : value });
  if (method === 'server/discover' && era === 'stateless')
    return result({ supportedVersions: [STATELESS_ERA], capabilities: { tools: {} }, serverInfo: SERVER });
  if (method === 'tools/list') return result({ tools: list });
  if (method === 'ping') return result({});
  if (method !== 'tools/call') return answer(message);
  return result({ content: [{ type: 'text', text: params?.arguments?.message }] });
}
