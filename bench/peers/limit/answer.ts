/** The responses of the limit, and the optional validation of arguments. */
import { SESSION_ERA } from '../../wire.ts';
import { DESCRIPTION, FIELDS, SERVER, type Setup } from '../../work.ts';

export interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly message?: string; readonly to?: number };
    readonly _meta?: { readonly progressToken?: number };
  };
}

export type Check = (value: unknown) => boolean;

/** Without zod it checks only the type of `message`. */
export async function checkWith(schema: Setup['schema']): Promise<Check> {
  if (schema !== 'zod') return (value) => typeof (value as { message?: unknown }).message === 'string'; // arguments are an object
  const z = await import('zod');
  const message = z.object({ message: z.string() });
  return (value) => message.safeParse(value).success;
}

const text = (said: string): object => ({ content: [{ type: 'text', text: said }] });

export function answer({ id, method, params }: Request, check?: Check): string {
  if (method === 'initialize') {
    const result = { protocolVersion: SESSION_ERA, capabilities: { tools: {} }, serverInfo: SERVER };
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  }
  if (method === 'tools/list') return JSON.stringify({ jsonrpc: '2.0', id, result: { tools: tools(2) } });
  if (method !== 'tools/call') {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
  if (params?.name === 'count') {
    return JSON.stringify({ jsonrpc: '2.0', id, result: text(`counted to ${params.arguments?.to}`) });
  }
  if (params?.name !== 'echo' || check?.(params.arguments) === false) {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid params' } });
  }
  return JSON.stringify({ jsonrpc: '2.0', id, result: text(params.arguments?.message ?? '') });
}

/** The same list of tools as the other contenders have. */
export function tools(total: number): object[] {
  const properties = Object.fromEntries(FIELDS.map(([name, description]) => [name, { type: 'string', description }]));
  const berths = Array.from({ length: total - 2 }, (_, at) => ({
    name: `berth_${at}`,
    description: DESCRIPTION,
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  }));
  const one = (name: string, field: string, type: string): object => ({
    name,
    inputSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  });
  return [one('echo', 'message', 'string'), one('count', 'to', 'number'), ...berths];
}
