/** Between codes that say nothing, a model guesses. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts';
import { eachTool, type LintRule } from '../rule.ts';

/** A letter is enough for a code that people use, such as S and M. */
const LETTER = /\p{L}/u;
const MAX_DEPTH = 8;

export const unclearEnum: LintRule = {
  id: 'unclear-enum',
  severity: 'warning',
  fix: 'Give each value a title (oneOf with const and title), or explain the values in the description.',
  check: eachTool(({ inputSchema }) => {
    const found = enumsIn(isObject(inputSchema) ? inputSchema : {}, '', 0);
    return found.length === 0 ? undefined : `has values that say nothing: ${found.join(', ')}`;
  }),
};

function enumsIn(schema: JsonObject, path: string, depth: number): readonly string[] {
  const { properties, items } = schema;
  if (depth > MAX_DEPTH) return [];
  const members = Object.entries(isObject(properties) ? properties : {}).flatMap(([key, one]) =>
    isObject(one) ? [...(isUnclear(one) ? [`${path}${key}`] : []), ...enumsIn(one, `${path}${key}.`, depth + 1)] : [],
  );
  const item = isObject(items)
    ? [...(isUnclear(items) ? [path.slice(0, -1)] : []), ...enumsIn(items, path, depth + 1)]
    : [];
  return [...members, ...item];
}

/** Where no value is a word, and the description names none of them. */
function isUnclear({ enum: values, enumNames, description = '' }: JsonObject): boolean {
  if (!Array.isArray(values) || values.length < 2 || enumNames !== undefined) return false;
  const texts = values.filter((one) => one !== null && typeof one !== 'boolean').map(String);
  return (
    texts.length > 1 &&
    texts.every((one) => !LETTER.test(one)) &&
    !texts.every((one) => String(description).includes(one))
  );
}
