/** A short name for each different JSON value, so that subschemas are compared without reading them again at every level. */
export class SchemaIds {
  readonly #byText: Map<string, string> = new Map();
  readonly #known: WeakMap<object, string> = new WeakMap();

  of(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value) ? `[${value.map((one) => this.of(one)).join()}]` : this.#members(value);
    const id = this.#byText.get(text) ?? `#${this.#byText.size}`;
    this.#byText.set(text, id);
    this.#known.set(value, id);
    return id;
  }

  #members(value: object): string {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${this.of(one)}`).join()}}`;
  }
}
