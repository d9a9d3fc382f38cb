/** What `skills` makes: an extension of a server, whose content can be replaced while it is served. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../model/caller.ts';
import type { Revision } from '../../revisions/contract.ts';
import type { ExtensionMethod, ServerExtension } from '../../server/extension.ts';
import type { DefinedResource, SkillSet } from '../../server/part.ts';
import type { ServedSkills } from './served-skills.ts';
import { SKILLS_EXTENSION } from './skill-entry.ts';
import { skillMethods } from './skill-methods.ts';

/** Where the skills come from. */
export interface SkillFolders {
  readonly folders: readonly string[];
  /** Reads all of them again. Throws for the mistakes in them. */
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

/** In older revisions, the files of a skill are plain resources. */
const isOffered = (revision: Revision): boolean => !revision.hasSessions;
