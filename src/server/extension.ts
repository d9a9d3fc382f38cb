/** An extension of the protocol, as a server offers it. Nothing of one is loaded by a server that does not use it. */
import { badDefinition } from '../errors.ts';
import type { ServerCapabilities } from '../model/caller.ts';
import type { Method, Revision } from '../revisions/contract.ts';
import type { MethodHandler } from './call.ts';
import type { DefinedPart, SkillSet } from './part.ts';

export interface ExtensionMethod extends Method {
  readonly answer: MethodHandler;
}

export interface ServerExtension {
  /** The parts that it adds to the server. */
  readonly parts: readonly DefinedPart[];
  /** Undefined where the method is not its own, or the revision cannot carry the extension. */
  method(name: string, revision: Revision): ExtensionMethod | undefined;
  /** What a server declares that would declare `base` without it. */
  declare(base: ServerCapabilities, revision: Revision): ServerCapabilities;
  /** The parameter that `Mcp-Name` repeats, over HTTP. */
  nameParam?(method: string): string | undefined;
}

/** Opens a set of skills. `skills` makes nothing else. */
export function openSkills(skills: SkillSet): ServerExtension {
  if ('declare' in skills) return skills as SkillSet & ServerExtension;
  throw badDefinition('skills', 'make them with skills() of mooring/skills');
}
