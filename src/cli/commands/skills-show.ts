/** `mooring skills show`: the text of a skill, or of one of its files, verified. */
import type { ListedSkill } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { suggest } from '../../model/suggest.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { targetIn } from '../target/target.ts';

export const skillsShow = command({
  usage: ['<target> <skill> [<file>] [options]', '<skill> [<file>] [options] -- <command> [argument …]'],
  about: `Print the SKILL.md of a skill, or another file of it.

A skill is named by the URI of its SKILL.md, or by its name where the server lists only one with that name. Every byte is compared with the digest in the server's listing first.`,
  exits: [
    [0, 'the file is as the server lists it'],
    [5, 'the file differs from what the server lists'],
  ],
  options: hostOptions,
  examples: [
    ['mooring skills show ./server.ts refunds'],
    ['mooring skills show shop skill://acme/refunds/SKILL.md references/FORMS.md'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { target, words } = await targetIn(input, shell);
    const [named, path, ...extra] = words;
    rejectExtra(extra);
    if (named === undefined)
      throw badArgument('<skill>', 'expected the name of a skill; `mooring skills list` shows them');
    await using opened = await openHost(target, { values: input.values, shell, print }, { needsSkills: true });
    const { session, label } = opened;
    const { signal } = shell;
    const uri = named.includes('://') ? named : uriOf(named, await session.skills({ signal }));
    const skill = await session.skill(label, uri, { signal });
    const bytes = path === undefined ? undefined : await skill.read(path, { signal });
    const text = bytes === undefined ? skill.text : new TextDecoder().decode(bytes);
    const { name, description, files } = skill;
    print.data({ server: label, uri, name, description, files, ...(path === undefined ? {} : { file: path }), text });
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) print.line(printable(line));
    if (path === undefined && files.length > 1) print.note(`Files: ${files.map((file) => printable(file)).join(', ')}`);
    return undefined;
  },
});

function uriOf(name: string, skills: readonly ListedSkill[]): string {
  const found = skills.filter((skill) => skill.name === name);
  const [only, ...others] = found;
  if (only === undefined)
    throw badArgument(
      name,
      `the server lists no skill with this name; ${suggest(
        name,
        skills.map((one) => one.name),
      )}`,
    );
  if (others.length > 0)
    throw badArgument(
      name,
      `several skills have this name; use one of the URIs ${found.map(({ uri }) => uri).join(', ')}`,
    );
  return only.uri;
}
