/** Opens a store from text that fits into an environment variable: `sqlite:<file>` or `redis:<port>:<prefix>`. */
import { createClient } from 'redis';
import { redisTasks, sqliteTasks, type TaskStore } from '../../src/extensions/tasks/index.ts';

export async function openPlace(place: string): Promise<TaskStore> {
  const [kind, ...rest] = place.split(':');
  if (kind === 'sqlite') return sqliteTasks(rest.join(':'));
  const [port, prefix = ''] = rest;
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  return { ...redisTasks({ send: (command) => client.sendCommand(command), prefix }), close: () => client.destroy() };
}
