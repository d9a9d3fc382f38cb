/** The members of each object and the content blocks that a revision has; pure data for the encoders. */
import type { members as firstMembers } from './2024-11-05/members.ts';

export interface Vocabulary {
  /** The members that each object can have on the wire. */
  readonly members: Members;
  /** Content blocks of tool results and prompt messages. */
  readonly blocks: ReadonlySet<string>;
  /** Content blocks of sampling messages. */
  readonly samplingBlocks: ReadonlySet<string>;
  /** A sampling message can have a list of blocks. */
  readonly samplingLists: boolean;
  /** The structured content that a tool can return: none, objects, or any JSON. */
  readonly structuredContent: 'nothing' | 'object' | 'anything';
  /** Form elicitation: none, plain fields, or also titled and multiple choices with defaults. */
  readonly forms: 'nothing' | 'plain' | 'rich';
  /** URL elicitation: none, with an id of the visit (`elicitationId`), or without. */
  readonly visits: 'nothing' | 'named' | 'plain';
  /** Tools have their title in `annotations.title`, since they have no `title` member. */
  readonly titleInAnnotations: boolean;
  /** Schemas can name their dialect with `$schema`. */
  readonly dialects: boolean;
}

/** Objects whose members differ between revisions. */
export type VocabularyObject = keyof typeof firstMembers;
export type Members = Readonly<Record<VocabularyObject, readonly string[]>>;

type MergeMembers = (known: readonly string[], named: readonly string[]) => readonly string[];

function changeMembers(before: Members, changes: Partial<Members>, merge: MergeMembers): Members {
  const all: Record<string, readonly string[]> & Members = { ...before };
  for (const [name, named] of Object.entries(changes)) all[name] = merge(all[name] ?? [], named);
  return all;
}

/** Adds members to those of the previous revision. */
export const addMembers = (before: Members, more: Partial<Members>): Members =>
  changeMembers(before, more, (known, named) => [...known, ...named]);

/** Removes members from those of the previous revision. */
export const dropMembers = (before: Members, fewer: Partial<Members>): Members =>
  changeMembers(before, fewer, (known, named) => known.filter((member) => !named.includes(member)));
