/**
 * A Codex session through `codex app-server`, as editors use it, where a user can be asked. JSON lines on stdin and stdout.
 * The user answers every question with a name.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endGroup } from '../program.ts';

interface AppMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly item?: { readonly type?: string; readonly text?: string } };
  readonly result?: { readonly thread?: { readonly id: string } };
  readonly error?: { readonly message: string };
}

export async function askThroughCodex(
  program: string,
  { cwd, env, prompt }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly prompt: string },
): Promise<string> {
  const child = spawn(program, ['app-server'], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const stop = (): void => endGroup(child.pid);
  process.once('exit', stop);
  const timer = setTimeout(stop, 60_000);
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 0, method: 'initialize', params: { clientInfo: { name: 'mooring-products', version: '1.0.0' } } });
  try {
    const texts: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      const message = JSON.parse(line) as AppMessage; // one JSON value a line
      if (message.error !== undefined) throw new Error(`app-server: ${message.error.message}`);
      if (message.id === 0) {
        send({ method: 'initialized' });
        send({ id: 1, method: 'thread/start', params: {} });
      }
      if (message.id === 1 && message.result !== undefined) {
        const threadId = message.result.thread?.id;
        send({ id: 2, method: 'turn/start', params: { threadId, input: [{ type: 'text', text: prompt }] } });
      }
      if (message.method === 'mcpServer/elicitation/request') {
        send({ id: message.id, result: { action: 'accept', content: { name: 'Ada' } } });
      }
      const { item } = message.params ?? {};
      if (message.method === 'item/completed' && item?.type === 'agentMessage') texts.push(item.text ?? '');
      if (message.method === 'turn/completed') return texts.join('\n');
    }
    throw new Error('app-server ended before the turn did');
  } finally {
    clearTimeout(timer);
    process.off('exit', stop);
    stop();
  }
}
