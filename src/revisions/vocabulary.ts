/** Which words a revision has: the members of each object and the blocks that content may use. Data; `encode.ts` reads it. */
import type { members as firstMembers } from './2024-11-05/members.ts';

export interface Vocabulary {
  /** The members each object may have on the wire. */
  readonly members: Members;
  /** Content blocks of tool results and prompt messages. */
  readonly blocks: ReadonlySet<string>;
  /** Content blocks of sampling messages. */
  readonly samplingBlocks: ReadonlySet<string>;
  /** A sampling message may hold a list of blocks. */
  readonly samplingLists: boolean;
  /** What a tool may return as data, and describe with a schema. */
  readonly structuredContent: 'nothing' | 'object' | 'anything';
  /** What a form may contain: nothing at all, plain fields, or also titled and multiple choices with defaults. */
  readonly forms: 'nothing' | 'plain' | 'rich';
  /** How the user is sent to a page: not at all, with an id that names the visit, or without. */
  readonly visits: 'nothing' | 'named' | 'plain';
  /** Where a tool without `title` of its own puts it. */
  readonly titleInAnnotations: boolean;
  /** Schemas may name their dialect. */
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

/** The members of the revision before, and some more. */
export const addMembers = (before: Members, more: Partial<Members>): Members =>
  changeMembers(before, more, (known, named) => [...known, ...named]);

/** The members of the revision before, and some fewer. */
export const dropMembers = (before: Members, fewer: Partial<Members>): Members =>
  changeMembers(before, fewer, (known, named) => known.filter((member) => !named.includes(member)));
