/** Asynchronous consent: questions are stored, and can be answered from another process or after a restart. */
import { randomUUID } from 'node:crypto';
import { McpError } from '../../errors.ts';
import { checkObject } from '../../model/check-argument.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { sleep, untilAborted } from '../../peer/wait.ts';
import { bindingOf } from '../act/binding.ts';
import type { Consent, ConsentAnswer, ConsentQuestion } from './consent.ts';
import { SharedLooks } from './shared-looks.ts';

const DAY_MS = 86_400_000;
const LOOK_MS = 250;

/** A stored question. */
export interface InboxQuestion extends Pick<ConsentQuestion, 'act' | 'binding' | 'why' | 'warnings' | 'editable'> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

type StoredQuestion = InboxQuestion & { readonly answered: boolean };

/** Stores questions and answers. All methods except `questions` must be atomic: of several processes, only one succeeds. */
export interface InboxStore {
  put(question: InboxQuestion): Promise<void>;
  /** Returns the questions whose answer has not been taken. */
  questions(): Promise<readonly (InboxQuestion & { readonly answered: boolean })[]>;
  /** Returns false if the question is unknown or already answered. */
  answer(id: string, answer: ConsentAnswer): Promise<boolean>;
  /** Removes the question and returns its answer, once. Undefined if there is no answer yet, or it was taken. */
  take(id: string): Promise<ConsentAnswer | undefined>;
  remove(id: string): Promise<void>;
  /** Like `ApprovalStore.key`. Without it, questions about servers with variables or headers are asked again after a restart. */
  key?(): Promise<Uint8Array>;
}

/** Options of `inboxConsent`. */
export interface InboxOptions {
  /** When a question expires. Default: 24 hours. */
  readonly expiresMs?: number;
  /** Polling interval while an act waits. Default: 250 ms. */
  readonly lookMs?: number;
  readonly clock?: Clock;
}

/** Consent by stored questions, which any process can answer. */
export interface Inbox extends Consent {
  /** Returns unanswered questions, oldest first. */
  pending(): Promise<readonly InboxQuestion[]>;
  /** Returns false if the question is unknown, answered or expired. */
  answer(id: string, answer: Omit<ConsentAnswer, 'binding'>): Promise<boolean>;
}

/**
 * Creates a consent inbox. An act reuses a stored question, also of an earlier process, with the same binding, reason and principal. An answer
 * is valid for one act: if two processes wait for it, the second asks again.
 */
export function inboxConsent(store: InboxStore, options: InboxOptions = {}): Inbox {
  checkObject(store, 'inboxConsent(store)', "a store, such as fileInbox('inbox')");
  const { expiresMs = DAY_MS, lookMs = LOOK_MS, clock = systemClock } = options;
  /** Questions that acts of this process wait for. Each act has its own. */
  const waited = new Set<string>();
  const openQuestions = async (): Promise<readonly StoredQuestion[]> => {
    const now = clock.wall();
    const open: StoredQuestion[] = [];
    const expired: StoredQuestion[] = [];
    for (const one of await store.questions()) (one.expiresAt <= now ? expired : open).push(one);
    await Promise.all(expired.map(({ id }) => store.remove(id)));
    // Drops tampered questions, whose displayed act does not match their binding.
    return open.filter((one) => bindingOf(one.act) === one.binding);
  };
  const looks = new SharedLooks(openQuestions, () => sleep(clock, lookMs));
  /** Finds the stored question of an act, or stores a new one. Returns its id. */
  const findOrPut = async (question: ConsentQuestion, expiresAt: number): Promise<string> => {
    const { act, binding, why, warnings, editable } = question;
    const before = (await looks.now()).find(
      (one) => one.binding === binding && one.why === why && one.act.principal === act.principal && !waited.has(one.id),
    );
    const id = before?.id ?? randomUUID();
    waited.add(id);
    if (before === undefined)
      await store.put({ id, act, binding, why, warnings, editable, askedAt: clock.wall(), expiresAt });
    return id;
  };
  const ask: Consent['ask'] = async (question, signal) => {
    const expiresAt = clock.wall() + expiresMs;
    let id = await findOrPut(question, expiresAt);
    let answer: ConsentAnswer | undefined;
    try {
      answer = await store.take(id);
      while (answer === undefined && !signal.aborted && clock.wall() < expiresAt) {
        const open = await untilAborted(looks.next(), signal).catch(throwUnless(signal));
        const stored = open?.get(id);
        if (open !== undefined && stored === undefined) {
          // Another process took the answer, or removed the question.
          waited.delete(id);
          id = await findOrPut(question, expiresAt);
        }
        if (stored?.answered === true) answer = await store.take(id);
      }
      // When the host closes, its questions stay for the next process.
      if (answer === undefined && !isClosing(signal)) await store.remove(id);
    } finally {
      // Also if the store failed: the next act can use the question.
      waited.delete(id);
    }
    return answer ?? { allow: false, reason: 'the question was not answered in time' };
  };
  const { key } = store;
  return {
    later: true,
    ...(key === undefined ? {} : { key: () => key.call(store) }),
    ask,
    async pending() {
      const waiting = (await openQuestions()).filter(({ answered }) => !answered);
      return waiting.sort((a, b) => a.askedAt - b.askedAt).map(({ answered: _, ...question }) => question);
    },
    async answer(id, answer) {
      const question = (await openQuestions()).find((one) => one.id === id);
      return question !== undefined && store.answer(id, { ...answer, binding: question.binding });
    },
  };
}

const isClosing = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && reason instanceof McpError && reason.code === 'MCP_CLOSED';

/** A rejection handler: undefined if the signal was aborted, otherwise the store failed. */
const throwUnless =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted) throw error;
  };
