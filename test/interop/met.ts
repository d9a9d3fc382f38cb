/** Tests that say whom they meet, so that the table can be drawn from them. */
import { test } from 'vitest';

export interface Met {
  /** Who, with the version. */
  readonly peer: string;
  readonly role: 'client' | 'server' | 'authorization server';
  /** Which of its ways is met. */
  readonly how: string;
  readonly revision: string;
  /** What the test exercises, in a word or two. */
  readonly what: string;
  /** Why the peer does not do what the specification says, where it does not. */
  readonly theirs?: string | undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    met?: Met;
  }
}

export interface Encounter extends Pick<Met, 'peer' | 'role' | 'how' | 'revision'> {
  /** What the peer does not offer, and need not. */
  readonly lacks?: readonly string[] | undefined;
  /** Where the peer differs from the specification, and how. Such a test must fail; it complains when it no longer does. */
  readonly faults?: Readonly<Record<string, string>> | undefined;
}

/** A test of one thing; its title says what the side under test does. */
export type Check = (what: string, title: string, run: () => Promise<void> | void) => void;

export function meeting({ lacks = [], faults = {}, ...peer }: Encounter): Check {
  return (what, title, run) => {
    if (lacks.includes(what)) return;
    const theirs = faults[what];
    test(title, { fails: theirs !== undefined, meta: { met: { ...peer, what, theirs } } }, run);
  };
}
