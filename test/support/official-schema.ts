/**
 * Validates messages with the official schemas of each revision (see `official-shapes.ts`). The schemas leave most objects open,
 * so members that the revision does not have are reported, too.
 */
import { readFileSync } from 'node:fs';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  isFailure,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type RpcResponse,
} from '../../src/jsonrpc/message.ts';
import type { Overheard } from './tap.ts';

const folder = new URL('../../.cache/official/', import.meta.url);
const loaded = new Map<string, OfficialSchema>();

export function officialSchema(revision: string): OfficialSchema {
  const known = loaded.get(revision);
  if (known !== undefined) return known;
  const schema = new OfficialSchema(JSON.parse(readFileSync(new URL(`${revision}.json`, folder), 'utf8')));
  loaded.set(revision, schema);
  return schema;
}

interface Definition {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown; readonly [key: string]: unknown }>>;
  readonly [key: string]: unknown;
}

export class OfficialSchema {
  readonly #ajv: Ajv2020;
  readonly #definitions: Record<string, Definition>;
  /** Definition names by method. */
  readonly #byMethod: ReadonlyMap<unknown, string>;

  constructor(document: JsonObject) {
    this.#definitions = structuredClone(document['$defs']) as Record<string, Definition>; // every such file has it
    for (const [name, definition] of Object.entries(this.#definitions)) if (!isOpen(name)) close(definition);
    this.#definitions['EmptyResult'] = { ...this.#definitions['Result'], additionalProperties: false };
    // Most schemas validate only a few messages, so compile time matters more than run time.
    const fastToCompile = { inlineRefs: false, code: { optimize: false } };
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, formats, ...fastToCompile });
    this.#ajv.addSchema({ $defs: this.#definitions }, 'spec');
    this.#byMethod = new Map(
      Object.entries(this.#definitions).flatMap(([name, { properties }]): [unknown, string][] =>
        properties?.['method']?.const === undefined || name.startsWith('Client')
          ? []
          : [[properties['method'].const, name]],
      ),
    );
  }

  /** Errors in a value; empty if it is valid. */
  faults(name: string, value: unknown): string[] {
    const validate = this.#ajv.getSchema(`spec#/$defs/${name}`);
    if (validate === undefined) return [`the revision has no ${name}`];
    return validate(value) === true ? [] : (validate.errors ?? []).map((error) => `${name}${describe(error)}`);
  }

  faultsOf({ side, message, answers = '' }: Overheard): string[] {
    if (isResponse(message)) return this.#response(message, answers);
    const request = isRequest(message);
    const envelope = this.faults(request ? 'JSONRPCRequest' : 'JSONRPCNotification', message);
    const { method } = message;
    const name = this.#byMethod.get(method);
    const union = `${side === '>' ? 'Client' : 'Server'}${request ? 'Request' : 'Notification'}`;
    if (name === undefined || !this.#contains(union, name, method)) return [`${method} is no ${union}`];
    return [...envelope, ...this.faults(name, this.#known(name, message))];
  }

  #response(response: RpcResponse, method: string): string[] {
    if (isFailure(response)) {
      return [
        ...this.faults('JSONRPCError' in this.#definitions ? 'JSONRPCError' : 'JSONRPCErrorResponse', response),
        ...this.#errorsWith(response.error.code).flatMap((name) => this.faults(name, response)),
      ];
    }
    const envelope = 'JSONRPCResultResponse' in this.#definitions ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
    const name = this.#resultOf(method, response.result);
    return [...this.faults(envelope, response), ...this.faults(name, response.result)];
  }

  /** The definition of a method's result. */
  #resultOf(method: string, result: JsonObject): string {
    const name = String(this.#byMethod.get(method)).replace(/Request$/, 'Result');
    const asks = JSON.stringify(this.#definitions[`${name}Response`] ?? '').includes('/InputRequiredResult"');
    if (asks && result['resultType'] === 'input_required') return 'InputRequiredResult';
    if (isObject(result['task']) && 'CreateTaskResult' in this.#definitions) return 'CreateTaskResult';
    // The result of a task's call; only tools have tasks here.
    if (name === 'GetTaskPayloadResult') return 'CallToolResult';
    return name in this.#definitions ? name : 'EmptyResult';
  }

  /** Definitions of errors with this code. */
  #errorsWith(code: number): string[] {
    return Object.keys(this.#definitions).filter((name) => {
      const error = this.#definitions[name]?.properties?.['error'];
      return error !== undefined && JSON.stringify(error).includes(`"const":${code},`);
    });
  }

  #contains(union: string, name: string, method: string): boolean {
    const definition = this.#definitions[union];
    if (definition?.properties?.['method']?.const === method) return true;
    return JSON.stringify(definition ?? '').includes(`/${name}"`);
  }

  /** Removes JSON-RPC members, which older definitions omit and which are checked separately. */
  #known(name: string, message: object): JsonObject {
    const properties = this.#definitions[name]?.properties ?? {};
    return Object.fromEntries(Object.entries(message).filter(([key]) => key in properties));
  }
}

const formats = {
  uri: /^[a-z][a-z0-9+.-]*:\S*$/i,
  'uri-template': /^\S+$/,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
};

/** Open definitions: `_meta`, and base types. */
const isOpen = (name: string): boolean =>
  /Meta(?:Object|Envelope)?$|^(Result|Request|Notification|JSONRPC.*|Paginated.*|.*Error)$/.test(name);

/** Rejects unknown members of all objects, except for schemas of tools. */
function close(node: unknown, key = ''): void {
  if (Array.isArray(node)) for (const one of node) close(one);
  if (!isObject(node) || ['_meta', 'inputSchema', 'outputSchema', 'allOf'].includes(key)) return;
  const { properties, additionalProperties } = node;
  for (const [name, inner] of Object.entries(node)) if (name !== 'properties') close(inner, name);
  if (!isObject(properties)) return;
  for (const [name, inner] of Object.entries(properties)) close(inner, name);
  if (additionalProperties !== undefined) return;
  // Every request can have `_meta`; older definitions say so only in one place.
  const meta = key === 'params' && properties['_meta'] === undefined ? { _meta: {} } : {};
  Object.assign(node, { properties: { ...properties, ...meta }, additionalProperties: false });
}

function describe({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message ?? 'is wrong'} ${JSON.stringify(params)}`;
}
