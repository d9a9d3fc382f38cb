/** Converts JSON Schema to TypeScript types. Constraints that TypeScript cannot express are left out; the server validates them. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { resolveLocalRef } from '../../schema/references.ts';
import {
  arrayOf,
  atom,
  combinedType,
  commentLines,
  literal,
  never,
  propertyKey,
  type TakenNames,
  type TypeText,
  tuple,
  typesIn,
  union,
  unknown,
} from './type-text.ts';

export interface Declaration {
  readonly name: string;
  readonly text: string;
}

/** The types of one schema: its own, and a named type for each `$ref`, which can be recursive. */
export class SchemaTypes {
  readonly #root: JsonObject;
  readonly #names: TakenNames;
  readonly #base: string;
  readonly #named: Map<JsonObject, string>;

  constructor(root: JsonObject, base: string, names: TakenNames) {
    this.#root = root;
    this.#base = base;
    this.#names = names;
    this.#named = new Map([[root, base]]);
  }

  /** The schema's own type is first. */
  declarations(): readonly Declaration[] {
    const all: Declaration[] = [];
    // Iteration includes entries that are added meanwhile, for types that are referenced the first time.
    for (const [schema, name] of this.#named) {
      const lines = commentLines(textOf(schema), '');
      all.push({ name, text: [...lines, `export type ${name} = ${this.#type(schema, '').text};`].join('\n') });
    }
    return all;
  }

  #type(schema: unknown, indent: string): TypeText {
    if (schema === false) return never;
    if (!isObject(schema)) return unknown;
    const { $ref } = schema;
    const referred = typeof $ref === 'string' ? this.#referred($ref) : unknown;
    return combinedType([referred, this.#own(schema, indent)], schema, (one) => this.#type(one, indent));
  }

  #referred(ref: string): TypeText {
    const schema = resolveLocalRef(this.#root, ref);
    if (schema === false) return never;
    if (!isObject(schema) || this.#isEndless(schema)) return unknown;
    const name = this.#named.get(schema) ?? this.#names.fresh(this.#base, ref.split(/[/#]/).at(-1) ?? '');
    this.#named.set(schema, name);
    return atom(name);
  }

  /** Whether a schema refers to itself without a property or an item in between. TypeScript rejects such a type alias. */
  #isEndless(start: JsonObject): boolean {
    const seen = new Set<unknown>();
    const next = ({ $ref, allOf, anyOf, oneOf }: JsonObject): readonly unknown[] => [
      resolveLocalRef(this.#root, $ref),
      ...[allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])),
    ];
    const open = [...next(start)];
    while (open.length > 0) {
      const schema = open.pop();
      if (schema === start) return true;
      if (!isObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      open.push(...next(schema));
    }
    return false;
  }

  /** The type from the schema's own keywords, without `$ref` and combinations. */
  #own(schema: JsonObject, indent: string): TypeText {
    if ('const' in schema) return literal(schema['const']);
    if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
    const types = typesIn(schema);
    // `type: object` next to a `$ref` or a combination: the other schema describes the object.
    if (types.length === 1 && types[0] === 'object' && isOnlyCombined(schema)) return unknown;
    return union(types.map((type) => this.#typeNamed(type, schema, indent)));
  }

  #typeNamed(type: unknown, schema: JsonObject, indent: string): TypeText {
    if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return atom(type);
    if (type === 'integer') return atom('number');
    if (type === 'array') return this.#array(schema, indent);
    return type === 'object' ? this.#object(schema, indent) : unknown;
  }

  #array({ items, prefixItems, additionalItems, minItems }: JsonObject, indent: string): TypeText {
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    if (first === undefined) return arrayOf(this.#type(items, indent));
    // Without minItems, treats all tuple items as required.
    const needed = typeof minItems === 'number' ? minItems : first.length;
    const places = first.map((item, at) => {
      const { text, rank } = this.#type(item, indent);
      return at < needed ? text : rank > 0 ? `(${text})?` : `${text}?`;
    });
    const rest = Array.isArray(prefixItems) ? items : additionalItems;
    if (rest !== undefined && rest !== false)
      places.push(`...${arrayOf(this.#type(rest, indent)).text.slice(READONLY)}`);
    return tuple(`[${places.join(', ')}]`);
  }

  #object(schema: JsonObject, indent: string): TypeText {
    const { properties, required, additionalProperties, patternProperties } = schema;
    const inner = `${indent}  `;
    const known = new Map(isObject(properties) ? Object.entries(properties) : []);
    const needed = new Set<unknown>(Array.isArray(required) ? required : []);
    for (const name of needed) if (typeof name === 'string' && !known.has(name)) known.set(name, {});
    const lines = [...known].flatMap(([name, one]) => {
      const { text } = needed.has(name) ? this.#type(one, inner) : union([this.#type(one, inner), atom('undefined')]);
      const mark = needed.has(name) ? '' : '?';
      return [...commentLines(textOf(one), inner), `${inner}readonly ${propertyKey(name)}${mark}: ${text};`];
    });
    const more = isObject(additionalProperties) || additionalProperties === true || isObject(patternProperties);
    // In TypeScript, declared members must be assignable to the index signature, so only objects without them get a typed one.
    const others = known.size === 0 && isObject(additionalProperties) && patternProperties === undefined;
    if (others) lines.push(`${inner}readonly [key: string]: ${this.#type(additionalProperties, inner).text};`);
    else if (more || (known.size === 0 && properties === undefined && additionalProperties !== false))
      lines.push(`${inner}readonly [key: string]: unknown;`);
    else if (known.size === 0) lines.push(`${inner}readonly [key: string]: never;`);
    const [only = ''] = lines;
    if (lines.length === 1 && !only.includes('\n')) return atom(`{ ${only.trim().replace(/;$/, '')} }`);
    return atom(['{', ...lines, `${indent}}`].join('\n'));
  }
}

const READONLY: number = 'readonly '.length;

/** Whether an object is described only by its `$ref` and combinations. */
const isOnlyCombined = (schema: JsonObject): boolean =>
  ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema) &&
  !['properties', 'required', 'additionalProperties', 'patternProperties'].some((keyword) => keyword in schema);

function textOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const { description, title, deprecated } = schema;
  const about = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  return deprecated === true ? `${about}\n@deprecated` : about;
}
