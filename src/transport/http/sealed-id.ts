/** A session that is its own id: what was agreed on in the handshake, encrypted and bound to the endpoint. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { toBase64Url } from '../../model/base64.ts';
import type { Caller, ClientCapabilities } from '../../model/caller.ts';
import { createSealer, type Sealer } from '../../revisions/asks/seal.ts';

/** Of an id. Proxies take 8 KiB for one header, and Node takes 16 KiB for all of them. */
const MAX_ID_LENGTH = 1_024;
/** Of what a client says of itself. */
const MAX_NAME_LENGTH = 64;
/** Of the settings of a client's extensions. */
const MAX_EXTENSIONS_LENGTH = 512;

/** What a sealed session knows. */
export interface SealedFacts {
  readonly revision: string;
  readonly caller: Caller;
  /** A digest of the only caller that can use it. */
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Its identity: 96 random bits. */
  readonly name: string;
}

/** Of what is written into an id. */
const FORM = 1;

type Written = readonly [
  form: typeof FORM,
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

  /** Leaves out what does not fit: the extensions first, then what the client calls itself. */
  async seal(facts: Omit<SealedFacts, 'name'>, path: string): Promise<string> {
    const { info, capabilities } = facts.caller;
    const name = (info?.name ?? '').slice(0, MAX_NAME_LENGTH);
    const version = (info?.version ?? '').slice(0, MAX_NAME_LENGTH);
    const whole = flagsOf(capabilities);
    const { extensions, ...flags } = whole;
    const forms = [
      [name, version, whole],
      [name, version, flags],
      ['', '', flags],
    ] as const;
    const random = toBase64Url(crypto.getRandomValues(new Uint8Array(12)));
    const began = Math.floor(facts.began / 1_000);
    let id = '';
    for (const form of forms) {
      const written: Written = [FORM, facts.revision, ...form, facts.principal, began, random];
      id = await this.#sealer.seal(JSON.stringify(written), boundTo(path));
      if (id.length <= MAX_ID_LENGTH) return id;
    }
    return id;
  }

  /** Undefined for an id that is not ours, or belongs to another endpoint. */
  async open(id: string, path: string): Promise<SealedFacts | undefined> {
    if (id.length > 2 * MAX_ID_LENGTH) return undefined;
    const text = await this.#sealer.open(id, boundTo(path)).catch(() => undefined);
    if (text === undefined) return undefined;
    const [form, revision, clientName, version, capabilities, principal, began, name] = JSON.parse(text) as Written; // sealed by us
    // By a newer process, perhaps: what its members mean is not known here.
    if (form !== FORM) return undefined;
    const caller = { info: { name: clientName, version }, capabilities };
    return { revision, caller, principal, began: began * 1_000, name };
  }
}

/** No state of a call is bound to such a text, so neither opens in place of the other. */
const boundTo = (path: string): string => `session ${path}`;

/** What a server asks about: whether there is a capability, and which kinds of it. */
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
