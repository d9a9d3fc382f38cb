/** Values that a configuration leaves open, as VS Code describes them: `inputs`. */

import type { JsoncNode } from '../../files/jsonc.ts';
import { memberOf } from '../../files/jsonc-tree.ts';
import type { ConfigInput } from './source.ts';

/** An input without an id cannot be referred to. */
export function readInputs(node: JsoncNode | undefined): readonly ConfigInput[] {
  if (node?.kind !== 'array') return [];
  return node.items.flatMap((item) => {
    const id = textIn(item, 'id');
    const password = memberOf(item, 'password');
    if (id === undefined) return [];
    return [
      {
        id,
        description: textIn(item, 'description'),
        password: password?.kind === 'value' && password.value === true,
        default: textIn(item, 'default'),
        options: readOptions(memberOf(item, 'options')),
      },
    ];
  });
}

/** An option is a text, or an object with a label and a value. */
function readOptions(node: JsoncNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  return node.items.flatMap((item) => {
    const text = item.kind === 'value' && item.value !== null ? String(item.value) : textIn(item, 'value');
    return text === undefined ? [] : [text];
  });
}

function textIn(node: JsoncNode, key: string): string | undefined {
  const member = memberOf(node, key);
  return member?.kind === 'value' && typeof member.value === 'string' ? member.value : undefined;
}
