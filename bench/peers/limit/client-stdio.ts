/** The limit of a client over stdio: one line per message; the requests of one turn are written together. */
import { spawn } from 'node:child_process';
import { onLines } from '../../load/lines.ts';
import { type Answer, echo, request } from '../../wire.ts';
import { setup, type ToolResult, textOf } from '../../work.ts';
import { clientUnderTest, type Echo } from '../client-under-test.ts';

const settings = setup();

async function connect(server: string): Promise<Echo> {
  const { stdin, stdout } = spawn(process.execPath, [server, JSON.stringify({ era: settings.era })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const pending = new Map<number, (answer: Answer) => void>();
  let id = 0;
  let waiting = '';
  onLines(stdout, (lines) => {
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer; // checked by textOf
      const at = answer.id as number; // the ids that we send are numbers
      pending.get(at)?.(answer);
      pending.delete(at);
    }
  });
  const flush = (): void => {
    stdin.write(waiting);
    waiting = '';
  };
  return async (message) => {
    if (waiting === '') queueMicrotask(flush);
    waiting += `${request(++id, echo(message), settings.era)}\n`;
    const { result } = await new Promise<Answer>((resolve) => {
      pending.set(id, resolve);
    });
    return textOf(result as ToolResult); // checked by textOf
  };
}

await clientUnderTest(settings, connect);
