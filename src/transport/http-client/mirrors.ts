/** Headers that repeat parts of the body, so that proxies need not read it. Learns from the lists of tools that it sees. */
import { isObject, type JsonObject, type RpcRequest } from '../../jsonrpc/message.ts';
import { argumentAt, encodeHeader } from '../../model/header-value.ts';
import {
  headerFault,
  METHOD_HEADER,
  type MirroredHeader,
  mirroredHeadersIn,
  NAME_HEADER,
  nameParams,
} from '../../model/mirrored-headers.ts';
import { setNewest } from '../../peer/set-newest.ts';

/** A server can name other tools in every list. A forgotten tool is looked up again when its call is rejected. */
const MAX_TOOLS = 10_000;
/** Reserved for tasks; each of these names one. */
const TASK_METHODS = 'tasks/';

export class Mirrors {
  /** Tools that want arguments repeated, as the server last described them. */
  readonly #tools: Map<string, readonly MirroredHeader[]> = new Map();
  readonly #warn: (warning: string) => void;

  constructor(warn: (warning: string) => void) {
    this.#warn = warn;
  }

  /** The headers of a request. A tool that was never listed has no headers of its own. */
  headersOf({ method, params = {} }: RpcRequest): Record<string, string> {
    const headers: Record<string, string> = { [METHOD_HEADER]: method };
    const member = nameParams.get(method) ?? (method.startsWith(TASK_METHODS) ? 'taskId' : undefined);
    const name = member === undefined ? undefined : params[member];
    if (typeof name !== 'string') return headers;
    headers[NAME_HEADER] = encodeHeader(name);
    const mirrored = method === 'tools/call' ? this.#tools.get(name) : undefined;
    for (const { name: header, path } of mirrored ?? []) {
      const value = argumentAt(params['arguments'], path);
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        headers[header] = encodeHeader(value);
    }
    return headers;
  }

  /** A page of tools, without those whose headers cannot be sent. */
  learn(result: JsonObject): JsonObject {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const kept = tools.filter((tool) => this.#see(tool));
    return kept.length === tools.length ? result : { ...result, tools: kept };
  }

  #see(tool: unknown): boolean {
    if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['inputSchema'])) return true;
    const { name, inputSchema } = tool;
    const fault = headerFault(inputSchema);
    if (fault !== undefined) {
      this.#tools.delete(name);
      this.#warn(`Tool ${JSON.stringify(name)} is left out: ${fault}`);
      return false;
    }
    const mirrored = mirroredHeadersIn(inputSchema);
    if (mirrored.length === 0) this.#tools.delete(name);
    else setNewest(this.#tools, name, mirrored, MAX_TOOLS);
    return true;
  }
}
