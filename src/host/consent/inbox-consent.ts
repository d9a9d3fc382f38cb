/** Consent that can wait: questions are records, answered from another process or after a restart. */
import { randomUUID } from 'node:crypto';
import { McpError } from '../../errors.ts';
import { checkObject } from '../../model/check-argument.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { sleep } from '../../peer/wait.ts';
import { bindingOf } from '../act/binding.ts';
import type { Consent, ConsentAnswer, ConsentQuestion } from './consent.ts';

const DAY_MS = 86_400_000;
const LOOK_MS = 250;

/** A question that waits. */
export interface InboxQuestion extends Pick<ConsentQuestion, 'act' | 'binding' | 'why' | 'warnings' | 'editable'> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** Where questions wait. Everything but `questions` is atomic: of several processes that try, one succeeds. */
export interface InboxStore {
  put(question: InboxQuestion): Promise<void>;
  /** Those whose answer was not taken yet. */
  questions(): Promise<readonly (InboxQuestion & { readonly answered: boolean })[]>;
  /** False when there is no such question, or it is answered. */
  answer(id: string, answer: ConsentAnswer): Promise<boolean>;
  /** Takes the answer, once; the question is over. Undefined when there is none yet, or it was taken. */
  take(id: string): Promise<ConsentAnswer | undefined>;
  remove(id: string): Promise<void>;
  /** As of an `ApprovalStore`. Without it, questions about servers with variables or headers are asked again after a restart. */
  key?(): Promise<Uint8Array>;
}

/** How long a question waits, and how often the store is read. */
export interface InboxOptions {
  /** How long a question waits. 24 hours. */
  readonly expiresMs?: number;
  /** How often the store is read while an act waits. 250 ms. */
  readonly lookMs?: number;
  readonly clock?: Clock;
}

/** Consent by records in a store: asked here, answered anywhere. */
export interface Inbox extends Consent {
  /** What waits for an answer, oldest first. */
  pending(): Promise<readonly InboxQuestion[]>;
  /** False when the question does not exist, is answered, or has expired. */
  answer(id: string, answer: Omit<ConsentAnswer, 'binding'>): Promise<boolean>;
}

/**
 * An act that was asked about and not answered finds its question again, also in another process: it is the same question if it binds
 * to the same act of the same principal. An answer is good for one act: of two processes that wait for it, the second asks again.
 */
export function inboxConsent(store: InboxStore, options: InboxOptions = {}): Inbox {
  checkObject(store, 'inboxConsent(store)', "a store, such as fileInbox('inbox')");
  const { expiresMs = DAY_MS, lookMs = LOOK_MS, clock = systemClock } = options;
  /** Questions that acts of this process wait for; each has its own. */
  const waited = new Set<string>();
  const open = async (): Promise<readonly (InboxQuestion & { readonly answered: boolean })[]> => {
    const all = await store.questions();
    const now = clock.wall();
    const over = all.filter(({ expiresAt }) => expiresAt <= now);
    await Promise.all(over.map(({ id }) => store.remove(id)));
    // A question that shows something else than it binds to was tampered with.
    return all.filter((one) => !over.includes(one) && bindingOf(one.act) === one.binding);
  };
  /** The id of the question that an act asks, which is put if it was not put before. */
  const find = async (question: ConsentQuestion, expiresAt: number): Promise<string> => {
    const { act, binding, why, warnings, editable } = question;
    const before = (await open()).find(
      (one) => one.binding === binding && one.act.principal === act.principal && !waited.has(one.id),
    );
    const id = before?.id ?? randomUUID();
    waited.add(id);
    if (before === undefined)
      await store.put({ id, act, binding, why, warnings, editable, askedAt: clock.wall(), expiresAt });
    return id;
  };
  const ask: Consent['ask'] = async (question, signal) => {
    const expiresAt = clock.wall() + expiresMs;
    let id = await find(question, expiresAt);
    let answer: ConsentAnswer | undefined;
    while (!signal.aborted && clock.wall() < expiresAt) {
      answer = await store.take(id);
      if (answer !== undefined) break;
      // Another process that waited for it took the answer, or it was withdrawn.
      if (!(await open()).some((one) => one.id === id)) {
        waited.delete(id);
        id = await find(question, expiresAt);
      }
      await sleep(clock, lookMs, signal).catch(() => undefined);
    }
    // A host that closes leaves its questions for the next one.
    if (answer === undefined && !isClosing(signal)) await store.remove(id);
    waited.delete(id);
    return answer ?? { allow: false, reason: 'the question was not answered in time' };
  };
  const { key } = store;
  return {
    later: true,
    ...(key === undefined ? {} : { key: () => key.call(store) }),
    ask,
    async pending() {
      const waiting = (await open()).filter(({ answered }) => !answered);
      return waiting.sort((a, b) => a.askedAt - b.askedAt).map(({ answered: _, ...question }) => question);
    },
    async answer(id, answer) {
      const question = (await open()).find((one) => one.id === id && !one.answered);
      return question !== undefined && store.answer(id, { ...answer, binding: question.binding });
    },
  };
}

const isClosing = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && reason instanceof McpError && reason.code === 'MCP_CLOSED';
