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

/** The members of the revision before, and some more. */
export function addMembers(before: Members, more: Partial<Members>): Members {
  const all: Record<VocabularyObject, readonly string[]> = { ...before };
  for (const [name, members] of Object.entries(more)) {
    const key = name as VocabularyObject; // the keys of a Partial<Members> are its names
    all[key] = [...before[key], ...members];
  }
  return all;
}

/** The members of the revision before, and some fewer. */
export function dropMembers(before: Members, fewer: Partial<Members>): Members {
  const all: Record<VocabularyObject, readonly string[]> = { ...before };
  for (const [name, members] of Object.entries(fewer)) {
    const key = name as VocabularyObject; // as above
    all[key] = before[key].filter((member) => !members.includes(member));
  }
  return all;
}
