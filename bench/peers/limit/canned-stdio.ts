/** A handwritten stdio server for clients under test. It is not measured. */
import { onLines } from '../../load/lines.ts';
import { setup } from '../../work.ts';
import type { Request } from './answer.ts';
import { canned } from './canned.ts';

const { era } = setup();
onLines(process.stdin, (lines) => {
  const messages = lines.map((line) => JSON.parse(line) as Request); // clients send nothing else
  const answers = messages.flatMap((message) => (message.id === undefined ? [] : [`${canned(message, era)}\n`]));
  if (answers.length > 0) process.stdout.write(answers.join(''));
});
