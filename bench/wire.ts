/** Messages on the wire, for both eras. */

/** The newest revision with a handshake that all peers speak. */
export const SESSION_ERA = '2025-06-18';
export const STATELESS_ERA = '2026-07-28';

const TASKS = 'io.modelcontextprotocol/tasks';

const meta = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_ERA,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
} as const;

/** A client that supports tasks and form elicitation. */
const taskMeta = {
  ...meta,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions: { [TASKS]: {} } },
} as const;

export interface Call {
  readonly method: string;
  readonly name?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Requests progress notifications. */
  readonly progress?: boolean;
  /** Declares that the result can be a task. */
  readonly tasks?: boolean;
}

export const callOf = (name: string, args: Readonly<Record<string, unknown>>, tasks: boolean): Call => ({
  method: 'tools/call',
  name,
  params: { name, arguments: args },
  tasks,
});

export const echo = (message: string): Call => ({
  method: 'tools/call',
  name: 'echo',
  params: { name: 'echo', arguments: { message } },
});

export const count = (to: number): Call => ({
  method: 'tools/call',
  name: 'count',
  params: { name: 'count', arguments: { to } },
  progress: true,
});

export const list: Call = { method: 'tools/list' };

export const listen: Call = {
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
};

/** A request as JSON. */
export function request(id: number, { method, params, progress, tasks }: Call, era: 'session' | 'stateless'): string {
  const token = progress === true ? { progressToken: id } : undefined;
  const _meta = era === 'stateless' ? { ...(tasks === true ? taskMeta : meta), ...token } : token;
  const all = _meta === undefined ? params : { ...params, _meta };
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(all === undefined ? {} : { params: all }) });
}

export const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: SESSION_ERA, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } },
});
export const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

/** The headers that repeat parts of the body in a request without a session. */
export const statelessHeaders = ({ method, name }: Call): Record<string, string> => ({
  'mcp-protocol-version': STATELESS_ERA,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

export interface Answer {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
