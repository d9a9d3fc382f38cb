/** The subset of JSON Schema that describes the gateway's file, and helpers to build it. */

/** The keywords that `checkTree` understands. All are standard, so the schema is published as it is. */
export interface FileSchema {
  readonly $schema?: string;
  readonly type?: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly pattern?: string;
  /** Describes the pattern in error messages. */
  readonly title?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, FileSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | FileSchema;
  readonly propertyNames?: FileSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: FileSchema;
  readonly minItems?: number;
  readonly anyOf?: readonly FileSchema[];
}

export const textMember = (description: string): FileSchema => ({ type: 'string', description });
export const flagMember = (description: string): FileSchema => ({ type: 'boolean', description });
export const countMember = (description: string): FileSchema => ({ type: 'integer', minimum: 1, description });
export const listMember = (items: FileSchema, description: string): FileSchema => ({
  type: 'array',
  items,
  description,
});
export const textsMember = (description: string): FileSchema => listMember({ type: 'string' }, description);
export const choiceMember = (values: readonly string[], description: string): FileSchema => ({
  type: 'string',
  enum: values,
  description,
});

/** Arbitrary keys with values of one type. */
export const recordMember = (values: FileSchema, description: string, propertyNames?: FileSchema): FileSchema => ({
  type: 'object',
  ...(propertyNames === undefined ? {} : { propertyNames }),
  additionalProperties: values,
  description,
});

/** The mapped type makes the compiler require exactly the members of `T`. */
export const objectMember = <T>(
  description: string,
  properties: { readonly [K in keyof T]-?: FileSchema },
  required: readonly (keyof T & string)[] = [],
): FileSchema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
  description,
});

/** Exactly one of the members. */
export const oneOfMembers = (schema: FileSchema): FileSchema => ({ ...schema, minProperties: 1, maxProperties: 1 });

export const textOrTextsMember = (description: string): FileSchema => ({
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
  description,
});

export const urlMember = (description: string): FileSchema => ({
  type: 'string',
  pattern: '^https?://[^/?#]',
  title: 'a URL that begins with http:// or https://',
  description,
});

export const addressMember = (description: string): FileSchema => ({
  type: 'string',
  pattern: '^(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}$',
  title: 'an address such as 127.0.0.1:8443',
  description,
});

export const pathMember = (example: string, description: string): FileSchema => ({
  type: 'string',
  pattern: '^/',
  title: `a path such as ${example}`,
  description,
});

/** Without `_`, so that no upstream can imitate the exposed name of another (`label__name`). */
export const labelMember: FileSchema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9-]{0,23}$',
  title: 'a label of 1 to 24 of the characters a-z 0-9 - that begins with a letter',
};
