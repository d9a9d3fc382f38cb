/** Parses and fills placeholders such as `${env:NAME}` in configuration strings. */

export type Placeholder =
  | { readonly kind: 'env'; readonly name: string; readonly otherwise: string | undefined }
  | { readonly kind: 'secret' | 'input'; readonly name: string }
  | { readonly kind: 'place'; readonly name: PlaceName };

const places = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'cwd', 'pathSeparator', '/'] as const;
export type PlaceName = (typeof places)[number];

const pattern = /\$\{([^{}]*)\}/g;
const variable = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s;
const named = /^(secret|input):(\S+)$/;

/** Explains why a template is invalid; undefined if it is valid. */
export function templateFault(template: string): string | undefined {
  const unknown = [...template.matchAll(pattern)].find(([, inside = '']) => placeholderOf(inside) === undefined);
  if (unknown === undefined) return undefined;
  const known = ['env:NAME', 'NAME', 'NAME:-otherwise', 'secret:name', 'input:id', ...places];
  return `unknown placeholder ${unknown[0]}; known are ${known.map((one) => `\${${one}}`).join(' ')}`;
}

/** The names of the placeholders of one kind in a template. */
export function placeholderNames(template: string, kind: Placeholder['kind']): string[] {
  return [...template.matchAll(pattern)].flatMap(([, inside = '']) => {
    const placeholder = placeholderOf(inside);
    return placeholder?.kind === kind ? [placeholder.name] : [];
  });
}

/** Replaces each placeholder that `find` resolves, and keeps the others. Values are not expanded again. */
export async function fillTemplate(
  template: string,
  find: (placeholder: Placeholder) => Promise<string | undefined>,
): Promise<string> {
  let filled = '';
  let at = 0;
  for (const match of template.matchAll(pattern)) {
    const placeholder = placeholderOf(match[1] ?? '');
    const found = placeholder === undefined ? undefined : await find(placeholder);
    filled += template.slice(at, match.index) + (found ?? match[0]);
    at = match.index + match[0].length;
  }
  return filled + template.slice(at);
}

function placeholderOf(inside: string): Placeholder | undefined {
  const place = places.find((one) => one === inside);
  if (place !== undefined) return { kind: 'place', name: place };
  const [, kind, name] = named.exec(inside) ?? [];
  if (name !== undefined) return { kind: kind === 'secret' ? 'secret' : 'input', name };
  const [, env, otherwise] = variable.exec(inside) ?? [];
  return env === undefined ? undefined : { kind: 'env', name: env, otherwise };
}
