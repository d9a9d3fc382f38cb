/** Resolves inputs and secrets of configuration files: from the environment, or by asking on the terminal. */
import type { InputSource, SecretSource } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import { variableFor } from '../servers/known-applications.ts';
import { canAsk } from '../shell.ts';

export function inputsFrom({ shell }: CommandContext): InputSource {
  return async ({ id, description, password, default: otherwise, options }, { server }) => {
    if (!canAsk(shell)) {
      if (otherwise !== undefined) return otherwise;
      throw badArgument(server, `this server requires a value for "${id}"; run the command in a terminal to enter it`);
    }
    const choice = options === undefined ? '' : ` (${options.map(printable).join(', ')})`;
    const usual = otherwise === undefined || password ? '' : ` [${printable(otherwise)}]`;
    const said = await askOnTerminal(
      shell,
      `${printable(server)}: ${printable(description ?? id)}${choice}${usual}: `,
      {
        hidden: password,
      },
    );
    return said === '' && otherwise !== undefined ? otherwise : said;
  };
}

/** `${secret:github-token}` is read from GITHUB_TOKEN, or asked for on the terminal. */
export function secretsFrom({ shell }: CommandContext): SecretSource {
  return async (name, { server }) => {
    const variable = variableFor(name);
    const found = shell.env[variable];
    if (found !== undefined && found !== '') return found;
    if (!canAsk(shell))
      throw badArgument(server, `this server requires the secret "${name}"; set the environment variable ${variable}`);
    return askOnTerminal(shell, `${printable(server)}: the secret "${printable(name)}": `, { hidden: true });
  };
}
