/** Reads an untrusted JSON object by member and type. A member of another type, or text that is too long, counts as absent. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { parseObject } from '../../../jsonrpc/read.ts';

/** Longer text fits in no header or URL, and could fill the credential store. */
export const MAX_TEXT_LENGTH: number = 16 * 1024;

export class MetadataDocument {
  readonly #members: ReadonlyMap<string, unknown>;

  constructor(json: JsonObject) {
    this.#members = new Map(Object.entries(json));
  }

  text(name: string): string | undefined {
    const value = this.#members.get(name);
    return isText(value) && value !== '' ? value : undefined;
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#members.get(name);
    return Array.isArray(value) ? value.filter(isText) : undefined;
  }

  document(name: string): MetadataDocument | undefined {
    return toDocument(this.#members.get(name));
  }

  /** The objects in a list; other elements are skipped. */
  documents(name: string): readonly MetadataDocument[] {
    const value = this.#members.get(name);
    return Array.isArray(value) ? value.flatMap((one) => toDocument(one) ?? []) : [];
  }

  flag(name: string): boolean {
    return this.#members.get(name) === true;
  }

  /** Also parses decimal text, because some servers write numbers as strings. */
  number(name: string): number | undefined {
    const value = this.#members.get(name);
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;

/** Returns undefined if the value is not an object. */
export function toDocument(json: unknown): MetadataDocument | undefined {
  return isObject(json) ? new MetadataDocument(json) : undefined;
}

/** Returns undefined if the text is not a JSON object. */
export const parseDocument = (text: string): MetadataDocument | undefined => toDocument(parseObject(text));
