/** `mooring skills`: lists, prints and checks the skills of a server. Each file is verified against its digest in the listing. */
import { messageOf } from '../../errors.ts';
import type { ListedSkill, Session } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { suggest } from '../../model/suggest.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { columns } from '../columns.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { countOf } from '../printer.ts';
import { onlyTarget, targetIn } from '../target/target.ts';

export const skillsList = command('skills list', {
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `List the skills of a server, without reading any of their files.

A server can have skills that it does not list. \`mooring skills show\` takes their URIs.`,
  options: hostOptions,
  examples: [['mooring skills list ./server.ts'], ['mooring skills list https://example.com/mcp --json']],
  async run(input) {
    const { shell, print } = input;
    const target = await onlyTarget(input);
    const onWarning = (warning: string): void => print.note(printable(warning));
    await using opened = await openHost(target, input, { onWarning, needsSkills: true });
    const skills = await opened.session.skills({ signal: shell.signal });
    print.data({ skills });
    if (skills.length === 0) print.line('The server lists no skills.');
    const rows = skills.map(({ uri, description }) => [printable(uri), printable(description)] as const);
    for (const line of columns(rows, shell.stdout, '')) print.line(line);
  },
});

export const skillsShow = command('skills show', {
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
  async run(input) {
    const { shell, print } = input;
    const { target, words } = await targetIn(input);
    const [named, path, ...extra] = words;
    rejectExtra(extra);
    if (named === undefined)
      throw badArgument('<skill>', 'expected the name of a skill; `mooring skills list` shows them');
    await using opened = await openHost(target, input, { needsSkills: true });
    const { session, label } = opened;
    const { signal } = shell;
    const uri = named.includes('://') ? named : uriOf(named, await session.skills({ signal }));
    const skill = await session.skill(label, uri, { signal });
    const bytes = path === undefined ? undefined : await skill.read(path, { signal });
    const text = bytes === undefined ? skill.text : new TextDecoder().decode(bytes);
    const { name, description, files } = skill;
    print.data({ server: label, uri, name, description, files, file: path, text });
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) print.line(printable(line));
    if (path === undefined && files.length > 1) print.note(`Files: ${files.map((file) => printable(file)).join(', ')}`);
  },
});

function uriOf(name: string, skills: readonly ListedSkill[]): string {
  const found = skills.filter((skill) => skill.name === name);
  const [only, ...others] = found;
  const names = skills.map((skill) => skill.name);
  const uris = found.map(({ uri }) => uri).join(', ');
  if (only === undefined) throw badArgument(name, `unknown skill; ${suggest(name, names)}`);
  if (others.length > 0) throw badArgument(name, `several skills have this name; use one of the URIs ${uris}`);
  return only.uri;
}

export const skillsCheck = command('skills check', {
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `Read every file of every skill of a server, and compare it with the listing.

Dynamic skills have no digests: of those, only the frontmatter is compared.`,
  exits: [
    [0, 'every file is as the server lists it'],
    [1, 'at least one problem was found, or the server lists no skills'],
  ],
  options: hostOptions,
  examples: [['mooring skills check ./server.ts'], ['mooring skills check ./server.ts --json', 'in CI']],
  async run(input) {
    const { shell, print } = input;
    const target = await onlyTarget(input);
    const problems: string[] = [];
    const onWarning = (warning: string): void => void problems.push(warning);
    await using opened = await openHost(target, input, { onWarning, needsSkills: true });
    const skills = await opened.session.skills({ signal: shell.signal });
    const checked: SkillCheck[] = [];
    for (const skill of skills) checked.push(await checkSkill(skill, opened.session, shell.signal));
    if (skills.length + problems.length === 0) problems.push('The server lists no skills');
    print.data({ skills: checked, problems });
    for (const { uri, files, problem } of checked) {
      const verdict = problem === undefined ? print.style('green', 'ok') : print.style('red', 'failed');
      print.line(`${verdict}  ${printable(uri)}  ${files === 'dynamic' ? files : countOf(files, 'file')}`);
      if (problem !== undefined) print.line(`  ${printable(problem)}`);
    }
    for (const problem of problems) print.line(`${print.style('red', 'failed')}  ${printable(problem)}`);
    const count = problems.length + checked.filter(({ problem }) => problem !== undefined).length;
    print.line(count === 0 ? 'All checks passed.' : `${countOf(count, 'problem')} found.`);
    return count === 0 ? undefined : exitCodes.no;
  },
});

interface SkillCheck extends Pick<ListedSkill, 'uri' | 'name' | 'files'> {
  readonly problem?: string;
}

/** Reports a failure as a problem, so that the other skills are still checked. */
async function checkSkill(
  { server, uri, name, files }: ListedSkill,
  session: Session,
  signal: AbortSignal,
): Promise<SkillCheck> {
  try {
    const skill = await session.skill(server, uri, { signal });
    for (const file of skill.files) await skill.read(file, { signal });
    skill.release();
    return { uri, name, files };
  } catch (error) {
    signal.throwIfAborted();
    return { uri, name, files, problem: messageOf(error) };
  }
}
