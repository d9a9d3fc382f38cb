/** Reads a JSON object of another party by member and type: a member of another type, or with too long a text, counts as absent. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { parseObject } from '../../../jsonrpc/read.ts';

/** Of a text: what is longer fits into no header and no URL, and would fill the store. */
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

  /** The objects of a list. */
  documents(name: string): readonly MetadataDocument[] {
    const value = this.#members.get(name);
    return Array.isArray(value) ? value.flatMap((one) => toDocument(one) ?? []) : [];
  }

  flag(name: string): boolean {
    return this.#members.get(name) === true;
  }

  /** Some servers write numbers as text. */
  number(name: string): number | undefined {
    const value = this.#members.get(name);
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;

/** Undefined if the value is not an object. */
export function toDocument(json: unknown): MetadataDocument | undefined {
  return isObject(json) ? new MetadataDocument(json) : undefined;
}

/** Undefined if the text is not a JSON object. */
export const parseDocument = (text: string): MetadataDocument | undefined => toDocument(parseObject(text));
