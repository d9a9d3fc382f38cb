/** A read-only view of an untrusted JSON Schema, for conversion and help. It does not validate. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { resolveLocalRef } from '../../schema/references.ts';

/** Keywords whose subschemas always apply to the value, and those whose subschemas can apply. */
const always: readonly string[] = ['allOf'];
const conditional: readonly string[] = ['anyOf', 'oneOf', 'then', 'else'];

export class SchemaView {
  readonly schema: unknown;
  readonly #root: JsonObject;
  /** All subschemas that apply or can apply. */
  readonly #parts: readonly JsonObject[];
  readonly #certain: readonly JsonObject[];
  #members: Map<string, unknown> | undefined;

  constructor(schema: unknown, root: JsonObject = isObject(schema) ? schema : {}) {
    this.schema = schema;
    this.#root = root;
    this.#certain = collectSubschemas(schema, root, always);
    this.#parts = collectSubschemas(schema, root, [...always, ...conditional]);
  }

  /** Type names in the order of the schema; empty if any type is allowed. */
  get types(): readonly string[] {
    const named = this.#parts.flatMap((part) => {
      if (Array.isArray(part['type'])) return part['type'].filter((type) => typeof type === 'string');
      if (typeof part['type'] === 'string') return [part['type']];
      if (isObject(part['properties'])) return ['object'];
      return part['items'] === undefined && part['prefixItems'] === undefined ? [] : ['array'];
    });
    return [...new Set(named)];
  }

  /** The values of `enum` and `const`; undefined without them. */
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

  /** Member names in the order of the schema. */
  get keys(): readonly string[] {
    return [...this.#declared.keys()];
  }

  /** The schemas of the members; of several for a member, the first. */
  get #declared(): ReadonlyMap<string, unknown> {
    if (this.#members === undefined) {
      this.#members = new Map();
      for (const { properties } of this.#parts)
        for (const [key, schema] of Object.entries(isObject(properties) ? properties : {}))
          if (!this.#members.has(key)) this.#members.set(key, schema);
    }
    return this.#members;
  }

  get required(): readonly string[] {
    const named = this.#certain.flatMap(({ required }) => (Array.isArray(required) ? required : []));
    return [...new Set(named.filter((name) => typeof name === 'string'))];
  }

  get description(): string | undefined {
    return this.#parts.map(({ description }) => description).find((text) => typeof text === 'string');
  }

  /** `contentEncoding`, such as `base64`. */
  get encoding(): string | undefined {
    return this.#parts.map(({ contentEncoding }) => contentEncoding).find((name) => typeof name === 'string');
  }

  /** The first value of a keyword in all subschemas. */
  keyword(name: string): unknown {
    return this.#parts.find((part) => part[name] !== undefined)?.[name];
  }

  declared(key: string): SchemaView | undefined {
    const schema = this.#declared.get(key);
    return schema === undefined ? undefined : new SchemaView(schema, this.#root);
  }

  /**
   * The schema of undeclared members; undefined if they are rejected. JSON Schema allows them by default, but if other members are
   * declared, an undeclared argument is probably a typo.
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

/** Follows `$ref` and `keywords`, and visits each subschema once, so that recursion ends. */
function collectSubschemas(schema: unknown, root: JsonObject, keywords: readonly string[]): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (one: unknown): void => {
    if (isObject(one)) found.add(one);
  };
  add(schema);
  // Iteration includes entries that are added meanwhile.
  for (const part of found) {
    add(resolveLocalRef(root, part['$ref']));
    for (const keyword of keywords) for (const one of [part[keyword]].flat()) add(one);
  }
  return [...found];
}
