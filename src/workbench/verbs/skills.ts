/** Verbs about skills: list them, verify their files, load and release them as a host would. */
import { messageOf } from '../../errors.ts';
import type { SessionSkill } from '../../host/index.ts';
import { string } from '../../model/shape.ts';
import type { SkillFileRow } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

interface SkillName {
  readonly server: string;
  readonly uri: string;
}

export function skillVerbs(bench: Workbench): VerbTable {
  const { session, acts } = bench;
  const loaded = new Map<string, SessionSkill>();
  const keyOf = ({ server, uri }: SkillName): string => JSON.stringify([server, uri]);
  return {
    'skills.list': verb({}, async () => {
      const skills = (await session.skills()).map((one) =>
        bench.scrub(one.server, { ...one, inUse: loaded.has(keyOf(one)) }),
      );
      return { skills, problems: bench.offerProblems() };
    }),
    'skills.verify': verb({ server: string, uri: string }, async (skill) => ({
      files: bench.scrub(skill.server, await verifyFiles(bench, skill)),
    })),
    'skills.load': verb({ server: string, uri: string }, (skill) =>
      acts.run(skill, async (options) => {
        const found = await session.skill(skill.server, skill.uri, options);
        loaded.get(keyOf(skill))?.release();
        loaded.set(keyOf(skill), found);
        return { text: bench.scrub(skill.server, found.text), files: found.files };
      }),
    ),
    'skills.release': verb({ server: string, uri: string }, (skill) => {
      loaded.get(keyOf(skill))?.release();
      loaded.delete(keyOf(skill));
    }),
  };
}

/** Verifies each file separately, so that one invalid file does not hide the others. */
async function verifyFiles({ session }: Workbench, { server, uri }: SkillName): Promise<readonly SkillFileRow[]> {
  const files: SkillFileRow[] = [];
  let skill: SessionSkill;
  try {
    skill = await session.skill(server, uri);
  } catch (error) {
    return [{ path: 'SKILL.md', verdict: 'changed', detail: messageOf(error) }];
  }
  try {
    const listed = (await session.skills()).find((one) => one.server === server && one.uri === uri);
    for (const path of skill.files) {
      try {
        const { length: bytes } = await skill.read(path);
        files.push({ path, bytes, verdict: listed?.files === 'dynamic' ? 'unverifiable' : 'verified' });
      } catch (error) {
        files.push({ path, verdict: 'changed', detail: messageOf(error) });
      }
    }
    return files;
  } finally {
    skill.release();
  }
}
