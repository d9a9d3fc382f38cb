/** A file of variables, one `NAME=value` a line, as dotenv made it common. */

/** Later lines win. What is no variable is left out: such files hold comments in many styles. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, unquoted(value));
  }
  return variables;
}

function unquoted(value: string): string {
  const [, single] = /^'([^']*)'/.exec(value) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  if (double === undefined) return value.replace(/\s#.*$/, '').trim();
  return double.replace(/\\([nrt"\\$])/g, (_, char: string) => escapes.get(char) ?? char);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
