/** `mooring gateway drain`: stops a gateway without losing calls. */
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { askOperations, operationsOptions } from '../gateway/operations-client.ts';

export const gatewayDrain = command({
  usage: ['[<url>] [options]'],
  about: `Stop a gateway without losing calls.

It is not ready from now on, takes calls for a few seconds more so that a load balancer can notice, lets running calls finish, and ends. SIGTERM does the same.`,
  options: operationsOptions,
  examples: [['mooring gateway drain'], ['mooring gateway drain http://node-1.example:9090']],
  async run({ words, values }, { shell, print }: CommandContext) {
    const [url, ...rest] = words;
    rejectExtra(rest);
    await askOperations({ url, method: 'POST', path: '/drain', token: values.token }, shell);
    print.data({ draining: true });
    print.line('The gateway is draining.');
    return undefined;
  },
});
