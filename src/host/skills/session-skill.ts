/** Skills as a session shows them. */
import type { RequestOptions } from '../../client/index.ts';
import type { DefinitionStatus } from '../act/act.ts';

/** A skill that a server lists. Name and description are the server's words, and neither identifies it: the label and the URI do. */
export interface ListedSkill {
  readonly server: string;
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly status: DefinitionStatus;
  /** What changed since it was approved, what looks odd, and which other skill has the same name. */
  readonly warnings: readonly string[];
  /** `dynamic` where its files are made when they are read, and cannot be verified. */
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
  /** The text has left the context of the model: calls of tools are no longer asked about because of this skill. */
  release(): void;
}
