/** What a foreign JSON Schema says about a value, as far as a person who types one needs to know. Judging it is the validator's work. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { referredIn } from '../../schema/references.ts';

/** What is about the same value: for certain, or in one case of several. */
const always: readonly string[] = ['allOf'];
const perhaps: readonly string[] = ['anyOf', 'oneOf', 'then', 'else'];

export class SchemaView {
  readonly schema: unknown;
  readonly #root: JsonObject;
  /** Everything that is said about the value. */
  readonly #parts: readonly JsonObject[];
  readonly #certain: readonly JsonObject[];

  constructor(schema: unknown, root: JsonObject = isObject(schema) ? schema : {}) {
    this.schema = schema;
    this.#root = root;
    this.#certain = gathered(schema, root, always);
    this.#parts = gathered(schema, root, [...always, ...perhaps]);
  }

  /** The names of types, in the order of the schema; none where any type will do. */
  get types(): readonly string[] {
    const named = this.#parts.flatMap((part) => {
      if (Array.isArray(part['type'])) return part['type'].filter((type) => typeof type === 'string');
      if (typeof part['type'] === 'string') return [part['type']];
      if (isObject(part['properties'])) return ['object'];
      return part['items'] === undefined && part['prefixItems'] === undefined ? [] : ['array'];
    });
    return [...new Set(named)];
  }

  /** The values to choose from; undefined where there is more than those. */
  get choices(): readonly unknown[] | undefined {
    const found = this.#parts.flatMap((part) => {
      if (Array.isArray(part['enum'])) return part['enum'] as readonly unknown[];
      return 'const' in part ? [part['const']] : [];
    });
    return found.length === 0 ? undefined : found;
  }

  get items(): SchemaView {
    const [items] = this.#parts.map((part) => part['items']).filter(isObject);
    return new SchemaView(items ?? {}, this.#root);
  }

  /** The names of an object's members, in the order of the schema. */
  get keys(): readonly string[] {
    return [...new Set(this.#parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])))];
  }

  get required(): readonly string[] {
    const named = this.#certain.flatMap(({ required }) => (Array.isArray(required) ? required : []));
    return [...new Set(named.filter((name) => typeof name === 'string'))];
  }

  get description(): string | undefined {
    return this.#parts.map(({ description }) => description).find((text) => typeof text === 'string');
  }

  /** How text stands for bytes in this value: `base64`. */
  get encoding(): string | undefined {
    return this.#parts.map(({ contentEncoding }) => contentEncoding).find((name) => typeof name === 'string');
  }

  /** What the first part says that has this keyword. */
  keyword(name: string): unknown {
    return this.#parts.find((part) => part[name] !== undefined)?.[name];
  }

  declared(key: string): SchemaView | undefined {
    const [schema] = this.#parts.flatMap(({ properties }) =>
      isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [],
    );
    return schema === undefined ? undefined : new SchemaView(schema, this.#root);
  }

  /**
   * What holds for members that are not named; undefined where there are none. A schema that names members and says nothing
   * about others would let them pass, but what it does not name is a slip far more often than an intention.
   */
  get others(): SchemaView | undefined {
    const said = this.#parts.map((part) => part['additionalProperties']).filter((one) => one !== undefined);
    const schema = said.find(isObject);
    if (schema !== undefined) return new SchemaView(schema, this.#root);
    if (said.includes(true) || this.#parts.some((part) => isObject(part['patternProperties'])))
      return new SchemaView({}, this.#root);
    const { types } = this;
    const shaped = said.includes(false) || this.#parts.some((part) => isObject(part['properties']));
    return shaped || (types.length > 0 && !types.includes('object')) ? undefined : new SchemaView({}, this.#root);
  }
}

/** Each once, however they refer to each other. */
function gathered(schema: unknown, root: JsonObject, keywords: readonly string[]): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (one: unknown): void => {
    if (isObject(one)) found.add(one);
  };
  add(schema);
  // The set grows while it is gone through.
  for (const part of found) {
    add(referredIn(root, part['$ref']));
    for (const keyword of keywords) for (const one of [part[keyword]].flat()) add(one);
  }
  return [...found];
}
