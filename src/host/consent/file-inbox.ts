/**
 * An inbox in a folder. A question is one file, and what has become of it is the end of its name: `question`, then `answered` with the
 * name of the file that holds the answer, then `taken`. Each step renames it, so that of several who try, one succeeds.
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

/** The folder is made when there is something to keep, with mode 0700. */
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
      // In this order: one that is being answered meanwhile is found as the one or as the other.
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
      const counts = await records.move(`${id}.${QUESTION}`, `${id}_${draft}.${ANSWERED}`);
      if (!counts) await records.remove(`${draft}.${DRAFT}`);
      return counts;
    },
    async take(id) {
      const name = await answerTo(id);
      // A process that is killed after this has used the answer up.
      if (name === undefined || !(await records.move(`${name}.${ANSWERED}`, `${name}.${TAKEN}`))) return undefined;
      const answer = await records.read(draftOf(name));
      await records.remove(draftOf(name));
      await records.remove(`${name}.${TAKEN}`);
      return isObject(answer) ? (answer as unknown as ConsentAnswer) : { allow: false }; // the gate looks at each member
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
