/** Creates the headers that repeat parts of the body for proxies. Learns from tool lists which arguments a tool wants repeated. */
import { isObject, type JsonObject, type RpcRequest } from '../../jsonrpc/message.ts';
import { argumentAt, encodeHeader } from '../../model/header-value.ts';
import { limitWarnings } from '../../model/limit-warnings.ts';
import {
  headerFault,
  METHOD_HEADER,
  type MirroredHeader,
  mirroredHeadersIn,
  NAME_HEADER,
  nameParams,
} from '../../model/mirrored-headers.ts';
import { setNewest } from '../../peer/set-newest.ts';

/** Maximum number of remembered tools. The headers of an evicted tool are learned again when a call is rejected. */
const MAX_TOOLS = 10_000;
/** Prefix of the methods of tasks, whose requests all name a task. */
const TASK_METHODS = 'tasks/';

export class Mirrors {
  /** Headers by tool, from the newest list, for tools that want arguments repeated. */
  readonly #tools: Map<string, readonly MirroredHeader[]> = new Map();
  readonly #warn: (warning: string) => void;

  constructor(warn: (warning: string) => void) {
    this.#warn = warn;
  }

  /** Creates the headers of a request. For a tool that was never listed, no arguments are repeated. */
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

  /** Learns from a page of tools, and returns it without tools whose headers cannot be sent. */
  learn(result: JsonObject): JsonObject {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const warn = limitWarnings(this.#warn, 'tools/list');
    const kept = tools.filter((tool) => this.#learnTool(tool, warn));
    return kept.length === tools.length ? result : { ...result, tools: kept };
  }

  /** Returns false if the headers of the tool cannot be sent. */
  #learnTool(tool: unknown, warn: (warning: string) => void): boolean {
    if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['inputSchema'])) return true;
    const { name, inputSchema } = tool;
    const fault = headerFault(inputSchema);
    if (fault !== undefined) {
      this.#tools.delete(name);
      warn(`Tool ${JSON.stringify(name)} is left out: ${fault}`);
      return false;
    }
    const mirrored = mirroredHeadersIn(inputSchema);
    if (mirrored.length === 0) this.#tools.delete(name);
    else setNewest(this.#tools, name, mirrored, MAX_TOOLS);
    return true;
  }
}
