/** `mooring skills check`: whether every file of every skill is as the server lists it. */
import type { ListedSkill, Session } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { targetIn } from '../target/target.ts';

export const skillsCheck = command({
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `Read every file of every skill of a server, and compare it with the listing.

Dynamic skills have no digests: of those, only the frontmatter is compared.`,
  exits: [
    [0, 'every file is as the server lists it'],
    [1, 'at least one skill is not, or the server lists none'],
  ],
  options: hostOptions,
  examples: [['mooring skills check ./server.ts'], ['mooring skills check ./server.ts --json', 'in CI']],
  async run(input, { shell, print }: CommandContext) {
    const { target, words } = await targetIn(input, shell);
    rejectExtra(words);
    const problems: string[] = [];
    const onWarning = (warning: string): void => void problems.push(warning);
    await using opened = await openHost(
      target,
      { values: input.values, shell, print },
      { onWarning, needsSkills: true },
    );
    const skills = await opened.session.skills({ signal: shell.signal });
    const checked: CheckedFiles[] = [];
    for (const skill of skills) checked.push(await checkFiles(skill, opened.session, shell.signal));
    if (skills.length + problems.length === 0) problems.push('The server lists no skills');
    print.data({ skills: checked, problems });
    for (const { uri, files, problem } of checked) {
      const verdict = problem === undefined ? print.style('green', 'ok') : print.style('red', 'wrong');
      print.line(`${verdict}  ${printable(uri)}  ${files === 'dynamic' ? 'dynamic' : `${files} files`}`);
      if (problem !== undefined) print.line(`  ${printable(problem)}`);
    }
    for (const problem of problems) print.line(`${print.style('red', 'wrong')}  ${printable(problem)}`);
    const count = problems.length + checked.filter(({ problem }) => problem !== undefined).length;
    print.line(count === 0 ? 'All checks passed.' : `${count} ${count === 1 ? 'problem' : 'problems'} found.`);
    return count === 0 ? undefined : exitCodes.no;
  },
});

interface CheckedFiles extends Pick<ListedSkill, 'uri' | 'name' | 'files'> {
  readonly problem?: string;
}

/** One skill that is wrong does not keep the others from being checked. */
async function checkFiles(
  { server, uri, name, files }: ListedSkill,
  session: Session,
  signal: AbortSignal,
): Promise<CheckedFiles> {
  try {
    const skill = await session.skill(server, uri, { signal });
    for (const file of skill.files) await skill.read(file, { signal });
    skill.release();
    return { uri, name, files };
  } catch (error) {
    signal.throwIfAborted();
    return { uri, name, files, problem: error instanceof Error ? error.message : String(error) };
  }
}
