/** Lists and loads the skills of one session, and tracks which are in use. */
import type { RequestOptions } from '../../client/index.ts';
import { badDefinition } from '../../errors.ts';
import { rejectedSkill } from '../../extensions/skills/list-skills.ts';
import { decodeSkillText, MAX_SKILL_BYTES, type SkillEntry } from '../../extensions/skills/skill-entry.ts';
import { skillPathOf } from '../../extensions/skills/skill-uri.ts';
import { skillFile, skillText } from '../../extensions/skills/verify-skill.ts';
import type { SkillInUse } from '../act/act.ts';
import type { ActSubject } from '../catalogue/act-subject.ts';
import { type HostCatalogue, toWarnings } from '../catalogue/catalogue.ts';
import type { SessionCatalogue } from '../catalogue/session-catalogue.ts';
import type { SessionActs, SessionPass } from '../session-acts/session-acts.ts';
import { fenceText } from '../text/fence-text.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { CheckedSkill, HostSkills } from './host-skills.ts';
import type { ListedSkill, SessionSkill } from './session-skill.ts';

/** Maximum number of skills in use per session, to stop a model that loads all it finds. */
const MAX_IN_USE = 100;

export interface SessionSkillsContext {
  readonly skills: HostSkills;
  readonly catalogue: HostCatalogue;
  /** The catalogue as the session sees it. */
  readonly view: SessionCatalogue;
  readonly acts: SessionActs;
}

/** The text of a skill is the server's, and can make a model do anything. */
const unknownEffects = { claimed: 'unknown', openWorld: true } as const;

export class SessionSkills {
  readonly #context: SessionSkillsContext;
  readonly #inUse: Map<SessionSkill, SkillInUse> = new Map();

  constructor(context: SessionSkillsContext) {
    this.#context = context;
  }

  /** The skills whose text a model may be following, without duplicates. */
  get inUse(): readonly SkillInUse[] {
    return [...new Map([...this.#inUse.values()].map((one) => [JSON.stringify(one), one])).values()];
  }

  async list(given: RequestOptions): Promise<readonly ListedSkill[]> {
    const { skills, catalogue, view } = this.#context;
    // Opens all servers, with a time limit.
    await catalogue.load('tool');
    const found = await Promise.all(catalogue.labels.map((label) => skills.list(label, given)));
    return found
      .flat()
      .map((skill) => skills.check(skill.server, skill.entry))
      .filter(({ server: { label: server }, entry: { uri: name }, definition, status }) => {
        const facts = { kind: 'skill', server, name, definition, status, ...unknownEffects } as const;
        return view.visibilityOf(facts).isVisible;
      })
      .map(toListed);
  }

  async load(label: string, uri: string, given: RequestOptions): Promise<SessionSkill> {
    this.#checkLimit();
    const { skills, acts } = this.#context;
    const found = await this.#describe(label, uri, given);
    const { server, entry, definition } = found;
    const subject: ActSubject = {
      server,
      name: uri,
      facts: { ...unknownEffects, definition, status: found.status },
      warnings: toWarnings(found.reasons),
      current: async (signal) => ({ definition: (await skills.get(server, uri, { signal })).definition }),
      approve: () => skills.approve(found),
    };
    const { name, description, files, bytes } = toListed(found);
    const about = { skill: name, description, files, bytes };
    const run = async (): Promise<string> => skillText(entry, await skills.read(found, 'SKILL.md', given));
    const text = await this.#explainingRejection(found, given, () =>
      acts.pass(acts.actOn('skill', subject, about), subject, { given, run }),
    );
    const skill = this.#toSkill(found, text);
    // Other skills can have been loaded meanwhile.
    this.#checkLimit();
    this.#inUse.set(skill, { server: label, uri, definition });
    return skill;
  }

  #checkLimit(): void {
    const why = `it has ${MAX_IN_USE} skills in use; release one, or open another session`;
    if (this.#inUse.size >= MAX_IN_USE) throw badDefinition('This session', why);
  }

  /** Gets the description of a skill. A URI that the server has not listed can carry text to it, so it needs an act. */
  async #describe(label: string, uri: string, given: RequestOptions): Promise<CheckedSkill> {
    const { skills, catalogue, acts } = this.#context;
    const subject = { ...catalogue.findResource(label, 'skills/get'), facts: unknownEffects };
    const client = await subject.server.client(given.signal);
    if ((await skills.findOpen(label, given.signal)) === undefined)
      throw rejectedSkill(uri, `the server ${label} does not declare that it has skills`);
    if (!skills.isListed(label, client, uri)) await skills.list(label, given);
    const get = (): Promise<CheckedSkill> => skills.get(subject.server, uri, given);
    if (skills.isListed(label, client, uri)) return get();
    return acts.pass(acts.actOn('extension', subject, { uri }), subject, { given, run: get });
  }

  #toSkill(found: CheckedSkill, text: string): SessionSkill {
    const { server, entry } = found;
    const { uri, frontmatter, resources } = entry;
    let unverified = 0;
    const skill: SessionSkill = {
      ...{ server: server.label, uri, text, fenced: fenceText(server.label, escapeUnprintable(text), uri) },
      ...{ name: frontmatter.name, description: escapeUnprintable(frontmatter.description) },
      files: resources === 'dynamic' ? ['SKILL.md'] : resources.map((file) => pathIn(entry, file.uri)),
      read: async (path, given = {}) => {
        if (!this.#inUse.has(skill)) throw rejectedSkill(uri, 'it was released; load it again');
        const bytes = await this.#read(found, path, given);
        if (resources === 'dynamic') unverified += bytes.length;
        if (unverified <= MAX_SKILL_BYTES) return bytes;
        throw rejectedSkill(uri, `more than ${MAX_SKILL_BYTES} bytes of it were read`);
      },
      release: () => void this.#inUse.delete(skill),
    };
    return skill;
  }

  /** Reads a file of a loaded skill. The user approved all its files with the skill; the gate records each read. */
  #read(found: CheckedSkill, path: string, given: RequestOptions): Promise<Uint8Array> {
    const { skills, acts } = this.#context;
    const { server, entry, definition } = found;
    return this.#explainingRejection(found, given, async () => {
      const { uri } = skillFile(entry, path);
      const subject = { server, name: uri, facts: { ...unknownEffects, definition }, warnings: [] };
      let bytes: Uint8Array = new Uint8Array();
      const run: SessionPass<string>['run'] = async (_client, _permit, signal) => {
        bytes = await skills.read(found, path, { ...given, signal });
        return decodeSkillText(bytes) ?? '';
      };
      await acts.runAct(acts.actOn('skill', subject, { skill: entry.uri, file: path }), subject, { given, run });
      return bytes;
    });
  }

  async #explainingRejection<T>(found: CheckedSkill, given: RequestOptions, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw await this.#context.skills.explainRejection(error, found, given);
    }
  }
}

const pathIn = ({ uri }: SkillEntry, file: string): string => {
  const path = file.slice(skillPathOf(uri)?.folder.length ?? 0);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

function toListed({ server, entry, status, reasons }: CheckedSkill): ListedSkill {
  const { uri, frontmatter, resources } = entry;
  const { name, description } = frontmatter;
  const sizes = resources === 'dynamic' ? undefined : resources.map(({ size }) => size);
  return {
    ...{ server: server.label, uri, name, description: escapeUnprintable(description), status, warnings: reasons },
    ...(sizes === undefined ? { files: 'dynamic' } : { files: sizes.length, bytes: sizes.reduce((a, b) => a + b, 0) }),
  };
}
