/** Encrypts a session into its id, bound to the path of the endpoint. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { toBase64Url } from '../../model/base64.ts';
import type { Caller, ClientCapabilities } from '../../model/caller.ts';
import { createSealer, type Sealer } from '../../revisions/asks/seal.ts';

/** Maximum length of an id. Proxies accept 8 KiB for one header, and Node accepts 16 KiB for all of them. */
const MAX_ID_LENGTH = 1_024;
/** Maximum length of the client's name, and of its version. */
const MAX_NAME_LENGTH = 64;
/** Maximum length of the client's extension capabilities, as JSON. */
const MAX_EXTENSIONS_LENGTH = 512;

/** The content of a sealed id. */
export interface SealedData {
  readonly revision: string;
  readonly caller: Caller;
  /** A digest of the only caller that can use it. */
  readonly principal: string;
  /** When the session began, in milliseconds since 1970. */
  readonly began: number;
  /** Identifies the session: 96 random bits. */
  readonly name: string;
}

/** Version of the format of an id. */
const FORMAT = 1;

type SealedTuple = readonly [
  format: typeof FORMAT,
  revision: string,
  clientName: string,
  clientVersion: string,
  capabilities: JsonObject,
  principal: string,
  beganSeconds: number,
  name: string,
];

export class SessionSealer {
  readonly #sealer: Sealer;

  constructor(keys: readonly Uint8Array<ArrayBuffer>[]) {
    this.#sealer = createSealer(keys);
  }

  /** Encrypts a session. If the id would be too long, omits the extensions first, then the client's name and version. */
  async seal(data: Omit<SealedData, 'name'>, path: string): Promise<string> {
    const { info, capabilities } = data.caller;
    const name = (info?.name ?? '').slice(0, MAX_NAME_LENGTH);
    const version = (info?.version ?? '').slice(0, MAX_NAME_LENGTH);
    const whole = flagsOf(capabilities);
    const { extensions, ...flags } = whole;
    const variants = [
      [name, version, whole],
      [name, version, flags],
      ['', '', flags],
    ] as const;
    const random = toBase64Url(crypto.getRandomValues(new Uint8Array(12)));
    const began = Math.floor(data.began / 1_000);
    let id = '';
    for (const variant of variants) {
      const tuple: SealedTuple = [FORMAT, data.revision, ...variant, data.principal, began, random];
      id = await this.#sealer.seal(JSON.stringify(tuple), bindingOf(path));
      if (id.length <= MAX_ID_LENGTH) return id;
    }
    return id;
  }

  /** Decrypts an id. Undefined if it was not sealed with one of the keys, or for another path. */
  async open(id: string, path: string): Promise<SealedData | undefined> {
    if (id.length > 2 * MAX_ID_LENGTH) return undefined;
    const text = await this.#sealer.open(id, bindingOf(path)).catch(() => undefined);
    if (text === undefined) return undefined;
    const tuple = JSON.parse(text) as SealedTuple; // sealed with one of the keys
    const [format, revision, clientName, version, capabilities, principal, began, name] = tuple;
    // A process with a newer version of this package can have another format.
    if (format !== FORMAT) return undefined;
    const caller = { info: { name: clientName, version }, capabilities };
    return { revision, caller, principal, began: began * 1_000, name };
  }
}

/** The context that an id is sealed for. Differs from those of call states, so that neither can be opened as the other. */
const bindingOf = (path: string): string => `session ${path}`;

/** Reduces capabilities to what servers check: which exist, and which kinds of each. */
function flagsOf({ elicitation, sampling, roots, extensions }: ClientCapabilities): JsonObject {
  const kinds = (one: unknown, known: readonly string[]): JsonObject | undefined =>
    isObject(one)
      ? Object.fromEntries(known.filter((kind) => isObject(one[kind])).map((kind) => [kind, {}]))
      : undefined;
  const isShort = isObject(extensions) && JSON.stringify(extensions).length <= MAX_EXTENSIONS_LENGTH;
  return {
    elicitation: kinds(elicitation, ['form', 'url']),
    sampling: kinds(sampling, ['context', 'tools']),
    roots: kinds(roots, []),
    extensions: isShort ? extensions : undefined,
  };
}
