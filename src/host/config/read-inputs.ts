/** Values that a configuration leaves open, as VS Code describes them: `inputs`. */
import type { JsoncNode } from '../../files/jsonc.ts';
import { memberOf, valueIn } from '../../files/jsonc-tree.ts';
import type { ConfigInput } from './source.ts';

/** An input without an id cannot be referred to. */
export function readInputs(node: JsoncNode | undefined): readonly ConfigInput[] {
  if (node?.kind !== 'array') return [];
  return node.items.flatMap((item) => {
    const id = textIn(item, 'id');
    if (id === undefined) return [];
    const description = textIn(item, 'description');
    const password = valueIn(memberOf(item, 'password')) === true;
    return [{ id, description, password, default: textIn(item, 'default'), options: readOptions(item) }];
  });
}

/** An option is a text, or an object with a label and a value. */
function readOptions(input: JsoncNode): readonly string[] | undefined {
  const options = memberOf(input, 'options');
  if (options?.kind !== 'array') return undefined;
  return options.items.flatMap((item) => {
    const value = valueIn(item) ?? textIn(item, 'value');
    return value === undefined ? [] : [String(value)];
  });
}

function textIn(node: JsoncNode, key: string): string | undefined {
  const value = valueIn(memberOf(node, key));
  return typeof value === 'string' ? value : undefined;
}
