/** The public types of a session's skills. */
import type { RequestOptions } from '../../client/index.ts';
import type { DefinitionStatus } from '../act/act.ts';

/** A skill that a server lists. Label and URI identify it; name and description are unverified text of the server. */
export interface ListedSkill {
  readonly server: string;
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly status: DefinitionStatus;
  /** What changed since it was approved, what is suspicious, and which other skills have the same name. */
  readonly warnings: readonly string[];
  /** The number of files; `dynamic` if they are generated when they are read, and cannot be verified. */
  readonly files: number | 'dynamic';
  readonly bytes?: number | undefined;
}

/** A skill in use: its text is, or was, in the context of a model. */
export interface SessionSkill extends Pick<ListedSkill, 'server' | 'uri' | 'name' | 'description'> {
  /** The verified `SKILL.md`. Text of the server: `fenced` marks it as such for a model. */
  readonly text: string;
  /** The text between marks that name the server and the skill. */
  readonly fenced: string;
  /** The paths of its files, relative to `SKILL.md`. */
  readonly files: readonly string[];
  /** Reads a file, by its path relative to `SKILL.md`. Throws `MCP_SKILL_CHANGED` or `MCP_SKILL_REJECTED` for any but the approved bytes. */
  read(path: string, options?: RequestOptions): Promise<Uint8Array>;
  /** Ends the use of the skill, when its text has left the model's context. It is no longer a reason to ask the user before tool calls. */
  release(): void;
}
