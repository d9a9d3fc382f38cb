/** All commands, in the order of the help. Each is loaded when it is typed. */
import type { Command } from './command.ts';

export interface Listed {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

export const groups: readonly { readonly title: string; readonly commands: readonly Listed[] }[] = [
  {
    title: 'Use',
    commands: [
      {
        name: 'list',
        summary: 'What a server offers: tools, resources, prompts',
        load: async () => (await import('./commands/list.ts')).list,
      },
    ],
  },
  {
    title: 'Arrange',
    commands: [
      {
        name: 'policy test',
        summary: 'What other rules would have said of what happened',
        load: async () => (await import('./commands/policy-test.ts')).policyTest,
      },
      {
        name: 'audit verify',
        summary: 'Whether an audit is as it was written',
        load: async () => (await import('./commands/audit-verify.ts')).auditVerify,
      },
    ],
  },
];

const all: readonly Listed[] = groups.flatMap(({ commands }) => commands);

/** The command that these words begin with; of `audit verify` and `audit`, the longer one. */
export function commandIn(words: readonly string[]): Listed | undefined {
  const [first = '', second = ''] = words;
  return all.find(({ name }) => name === `${first} ${second}`) ?? all.find(({ name }) => name === first);
}

/** Commands that somebody may have meant: of the same family, or a slip of the finger away. */
export function similarTo(word: string): readonly string[] {
  const names = all.map(({ name }) => name);
  const family = names.filter((name) => name.startsWith(`${word} `));
  return family.length > 0 ? family : names.filter((name) => slips(word, name) <= 2);
}

/** How many letters must be put in, left out or changed. */
function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [bt, other] of [...b].entries()) {
      const [left = 0, up = 0, corner = 0] = [next[bt], row[bt + 1], row[bt]];
      next.push(Math.min(left + 1, up + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
