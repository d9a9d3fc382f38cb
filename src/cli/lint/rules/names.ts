/** Lint rules for names that applications replace, truncate or confuse. */
import { type LintRule, schemaObject, toolRule, twinRule } from '../rule.ts';

/** Clients keep only one of two tools with the same name. */
export const duplicateName: LintRule = {
  id: 'duplicate-name',
  severity: 'error',
  fix: 'Rename one of them; names must be unique within a server.',
  check({ tools }) {
    const counts = new Map<string, number>();
    for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].flatMap(([name, count]) =>
      count > 1 ? [{ item: `tool ${name}`, found: `is listed ${count} times` }] : [],
    );
  },
};

/** Names that differ only in case or special characters collide when applications normalize them. */
export const clashingName: LintRule = twinRule('clashing-name', {
  fix: 'Choose names that differ in their letters and digits.',
  found: 'has almost the same name as',
  keyOf: ({ name }) => name.toLowerCase().replace(/[^a-z\d]/g, '_'),
});

const limits: readonly { readonly where: string; readonly max: number; prefix(server: string): string }[] = [
  { where: 'the APIs of OpenAI and Anthropic', max: 64, prefix: () => '' },
  { where: 'Claude Code', max: 64, prefix: (server) => `mcp__${server}__` },
  { where: 'Cursor', max: 59, prefix: (server) => server },
];

/** Applications prefix the server's name, and drop tools whose prefixed name is too long. */
export const longName: LintRule = toolRule('warning', 'long-name', {
  fix: 'Shorten the name of the tool or of the server.',
  check({ name }, { server }) {
    const label = (server?.name ?? '').replace(/[^\w-]+/g, '_');
    const over = limits.flatMap(({ where, max, prefix }) => {
      const { length } = prefix(label) + name;
      return length > max ? [`${length} characters in ${where}, which accepts ${max}`] : [];
    });
    return over.length === 0 ? undefined : `has ${over.join('; ')}`;
  },
});

/** Model APIs accept only these characters; applications replace others, or drop the tool. */
export const oddName: LintRule = toolRule('warning', 'odd-name', {
  fix: 'Use letters, digits, "_" and "-" only.',
  check: ({ name }) => (/^[\w-]+$/.test(name) ? undefined : 'has a name with characters that model APIs do not accept'),
});

/** A host offers several servers to one model, which can confuse tools of the same name. */
export const sharedName: LintRule = {
  id: 'shared-name',
  severity: 'warning',
  fix: 'Choose a name that says what the tool works on, or prefix the names of the server.',
  check({ tools, others = [] }) {
    const taken = new Set(others.map(({ name }) => name));
    return tools.flatMap(({ name }) =>
      taken.has(name) ? [{ item: `tool ${name}`, found: 'has the same name as a tool of another server' }] : [],
    );
  },
};

/** One invalid name makes the API reject the whole request. */
export const parameterName: LintRule = toolRule('warning', 'parameter-name', {
  fix: 'Use letters, digits, "_", "." and "-", at most 64 characters.',
  check({ inputSchema }) {
    const { properties } = schemaObject(inputSchema);
    const odd = Object.keys(schemaObject(properties)).filter((name) => !/^[\w.-]{1,64}$/.test(name));
    if (odd.length === 0) return undefined;
    return `has ${odd.length === 1 ? 'a parameter name' : 'parameter names'} that the Claude API rejects: ${odd.map((name) => JSON.stringify(name)).join(', ')}`;
  },
});
