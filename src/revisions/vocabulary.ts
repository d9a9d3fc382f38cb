/** The members of each object that a revision has; pure data for the encoders. */
import type { members as firstMembers } from './2024-11-05/members.ts';

export interface Vocabulary {
  /** The members that each object can have on the wire. A content block without members does not exist in the revision. */
  readonly members: Members;
  /** A sampling message can have a list of blocks. */
  readonly samplingLists: boolean;
  /** The structured content that a tool can return: none, objects, or any JSON. */
  readonly structuredContent: 'nothing' | 'object' | 'anything';
  /** Form elicitation: none, plain fields, or also titled and multiple choices with defaults. */
  readonly forms: 'nothing' | 'plain' | 'rich';
  /** URL elicitation: none, with an id of the visit (`elicitationId`), or without. */
  readonly visits: 'nothing' | 'named' | 'plain';
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
