/**
 * A consent inbox in a folder. The extension of a question's file is its state: `question`, then `answered` (the name includes the file
 * of the answer), then `taken`. Each step is an atomic rename, so that only one of several processes succeeds.
 */
import { randomUUID } from 'node:crypto';
import { isObject } from '../../jsonrpc/message.ts';
import { checkText } from '../../model/check-argument.ts';
import type { ConsentAnswer } from './consent.ts';
import type { InboxQuestion, InboxStore } from './inbox-consent.ts';
import { RecordFolder } from './record-folder.ts';

const QUESTION = 'question';
const ANSWERED = 'answered';
const TAKEN = 'taken';
const DRAFT = 'draft';

/** Stores consent questions in a folder, which is created on first use with mode 0700. */
export function fileInbox(folder: string): InboxStore {
  checkText(folder, 'fileInbox(folder)', 'the path of a folder');
  const records = new RecordFolder(folder);
  const answerTo = async (id: string): Promise<string | undefined> =>
    (await records.names(ANSWERED)).find((name) => idOf(name) === id);
  return {
    key: () => records.key(),
    async put(question) {
      await records.create(`${question.id}.${QUESTION}`, question);
    },
    async questions() {
      // Reads open questions first, so that a question that is answered in between appears in at least one list.
      const waiting = await records.list(QUESTION, isQuestion, idOf);
      const answered = await records.list(ANSWERED, isQuestion, idOf);
      const all = [
        ...waiting.map((one) => ({ ...one, answered: false })),
        ...answered.map((one) => ({ ...one, answered: true })),
      ];
      return [...new Map(all.map((one) => [one.id, one])).values()];
    },
    async answer(id, answer) {
      const draft = randomUUID();
      await records.create(`${draft}.${DRAFT}`, answer);
      const isAccepted = await records.move(`${id}.${QUESTION}`, `${id}_${draft}.${ANSWERED}`);
      if (!isAccepted) await records.remove(`${draft}.${DRAFT}`);
      return isAccepted;
    },
    async take(id) {
      const name = await answerTo(id);
      // After this rename the answer is consumed, even if the process is killed: an answer is never used twice.
      if (name === undefined || !(await records.move(`${name}.${ANSWERED}`, `${name}.${TAKEN}`))) return undefined;
      const answer = await records.read(draftOf(name));
      await records.remove(draftOf(name));
      await records.remove(`${name}.${TAKEN}`);
      return isObject(answer) ? (answer as unknown as ConsentAnswer) : { allow: false }; // the gate validates each member
    },
    async remove(id) {
      await records.remove(`${id}.${QUESTION}`);
      const name = await answerTo(id);
      if (name === undefined) return;
      await records.remove(`${name}.${ANSWERED}`);
      await records.remove(draftOf(name));
    },
  };
}

const idOf = (name: string): string => name.replace(/_.*/s, '');
const draftOf = (name: string): string => `${name.slice(idOf(name).length + 1)}.${DRAFT}`;

function isQuestion(value: unknown): value is InboxQuestion {
  if (!isObject(value)) return false;
  const { id, binding, why, act, warnings, askedAt, expiresAt } = value;
  return (
    [id, binding, why].every((one) => typeof one === 'string') &&
    [askedAt, expiresAt].every((one) => typeof one === 'number') &&
    isObject(act) &&
    isObject(act['arguments']) &&
    Array.isArray(warnings)
  );
}
