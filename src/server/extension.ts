/** The interface between a server and a protocol extension. A server that does not use an extension loads none of its code. */
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
  /** The method of this name; undefined if the extension does not define it, or the revision does not support the extension. */
  method(name: string, revision: Revision): ExtensionMethod | undefined;
  /** Adds the extension to the capabilities `base` of the server. */
  declare(base: ServerCapabilities, revision: Revision): ServerCapabilities;
}

/** Casts a set of skills to its internals, which are an extension. Throws for anything that `skills` did not create. */
export function openSkills(skills: SkillSet): ServerExtension {
  if ('declare' in skills) return skills as SkillSet & ServerExtension;
  throw badDefinition('skills', 'make them with skills() of mooring/skills');
}
