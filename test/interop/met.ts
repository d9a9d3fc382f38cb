/** Defines tests with a peer, for the table of results. */
import { test } from 'vitest';

export interface Met {
  /** Name and version of the peer. */
  readonly peer: string;
  readonly role: 'client' | 'server' | 'authorization server';
  /** Its transport or mode. */
  readonly how: string;
  readonly revision: string;
  /** The tested feature, in a word or two. */
  readonly what: string;
  /** Why the peer violates the specification, if it does. */
  readonly theirs?: string | undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    met?: Met;
  }
}

export interface Encounter extends Pick<Met, 'peer' | 'role' | 'how' | 'revision'> {
  /** Optional features that the peer lacks. */
  readonly lacks?: readonly string[] | undefined;
  /** Features in which the peer violates the specification, and how. Such a test must fail; if it passes, it is reported. */
  readonly faults?: Readonly<Record<string, string>> | undefined;
}

/** A test of one feature; its title says what the side under test does. */
export type Check = (what: string, title: string, run: () => Promise<void> | void) => void;

export function meeting({ lacks = [], faults = {}, ...peer }: Encounter): Check {
  return (what, title, run) => {
    if (lacks.includes(what)) return;
    const theirs = faults[what];
    test(title, { fails: theirs !== undefined, meta: { met: { ...peer, what, theirs } } }, run);
  };
}
