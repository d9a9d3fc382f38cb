/** The result of `skills()`: a server extension whose content `watchSkills` can replace while the server runs. */
import { RpcError } from '../../errors.ts';
import { defined, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../model/caller.ts';
import type { Revision } from '../../revisions/contract.ts';
import { pageParams, readResourceParams } from '../../revisions/methods.ts';
import type { ExtensionMethod, ServerExtension } from '../../server/extension.ts';
import { pageOf } from '../../server/methods/cursor-page.ts';
import type { DefinedResource, SkillSet } from '../../server/part.ts';
import type { ServedSkills } from './served-skills.ts';
import { SKILLS_EXTENSION } from './skill-entry.ts';

/** The source folders of a skill set. */
export interface SkillFolders {
  readonly folders: readonly string[];
  /** Reads all folders again. Throws one error that lists their faults. */
  read(): Promise<ServedSkills>;
  warn(warning: string): void;
}

const settings: JsonObject = Object.freeze({ directoryRead: true });

export class ServedSkillSet implements SkillSet, ServerExtension {
  readonly kind = 'skills';
  readonly source: SkillFolders;
  served: ServedSkills;
  readonly #methods: ReadonlyMap<string, ExtensionMethod> = skillMethods(() => this.served);

  constructor(served: ServedSkills, source: SkillFolders) {
    this.served = served;
    this.source = source;
  }

  get names(): readonly string[] {
    return [...this.served.entries.values()].map(({ frontmatter }) => frontmatter.name);
  }

  get parts(): readonly DefinedResource[] {
    return this.served.parts;
  }

  method(name: string, revision: Revision): ExtensionMethod | undefined {
    return isOffered(revision) ? this.#methods.get(name) : undefined;
  }

  declare(base: ServerCapabilities, revision: Revision): ServerCapabilities {
    if (!isOffered(revision)) return base;
    return { ...base, extensions: { ...base.extensions, [SKILLS_EXTENSION]: settings } };
  }
}

/** Whether the revision has the skills extension. In older ones, the files of a skill are plain resources. */
const isOffered = (revision: Revision): boolean => !revision.hasSessions;

const directoryParams: ExtensionMethod['params'] = (value, at) =>
  readResourceParams(value, at) ?? pageParams(value, at);

/** Handlers of `skills/list`, `skills/get` and `resources/directory/read`. */
function skillMethods(current: () => ServedSkills): ReadonlyMap<string, ExtensionMethod> {
  const list: ExtensionMethod['answer'] = ({ cursor }, { settings }) => {
    const listed = current().listed.map((entry, i) => ({ place: i + 1, entry }));
    const { items, nextCursor } = pageOf('skills', listed, cursor, settings.pageSize);
    return defined<JsonObject>({ skills: items.map(({ entry }) => entry), nextCursor, ...settings.hints });
  };
  const get: ExtensionMethod['answer'] = ({ uri }, { settings }) => {
    const skill = current().entries.get(String(uri));
    if (skill === undefined) throw new RpcError(INVALID_PARAMS, 'Unknown skill URI', { uri });
    return { skill, ...settings.hints };
  };
  const readDirectory: ExtensionMethod['answer'] = ({ uri, cursor }, { settings }) => {
    const children = current().directories.get(String(uri));
    if (children === undefined) throw new RpcError(INVALID_PARAMS, 'Unknown directory URI', { uri });
    const all = [...children.values()].map((child, i) => ({ place: i + 1, child }));
    const { items, nextCursor } = pageOf('directory', all, cursor, settings.pageSize);
    return defined<JsonObject>({ resources: items.map(({ child }) => child), nextCursor });
  };
  return new Map<string, ExtensionMethod>([
    ['skills/list', { params: pageParams, repeatable: true, cacheable: true, answer: list }],
    ['skills/get', { params: readResourceParams, repeatable: true, cacheable: true, answer: get }],
    ['resources/directory/read', { params: directoryParams, repeatable: true, answer: readDirectory }],
  ]);
}
