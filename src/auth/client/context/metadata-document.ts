/** A JSON object from elsewhere, read member by member: what is not of the type that is asked for is not there. */
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { isObject } from '../../web/json.ts';

export class MetadataDocument {
  readonly #members: ReadonlyMap<string, unknown>;

  constructor(json: JsonObject) {
    this.#members = new Map(Object.entries(json));
  }

  text(name: string): string | undefined {
    const value = this.#members.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#members.get(name);
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined;
  }

  /** A list of objects; what is none is left out. */
  documents(name: string): readonly MetadataDocument[] {
    const value = this.#members.get(name);
    return Array.isArray(value) ? value.flatMap((one) => toDocument(one) ?? []) : [];
  }

  flag(name: string): boolean {
    return this.#members.get(name) === true;
  }

  /** Some write numbers as text. */
  number(name: string): number | undefined {
    const value = this.#members.get(name);
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  }
}

/** Undefined if it is no object. */
export function toDocument(json: unknown): MetadataDocument | undefined {
  return isObject(json) ? new MetadataDocument(json) : undefined;
}

/** Of a text that may be anything. */
export function parseDocument(text: string): MetadataDocument | undefined {
  try {
    return toDocument(JSON.parse(text));
  } catch {
    return undefined;
  }
}
