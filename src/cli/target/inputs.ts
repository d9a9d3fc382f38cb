/** What a configuration file leaves open: asked for on the terminal, or found in the environment. */
import type { InputSource, SecretSource } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import { canAsk } from '../shell.ts';

export function inputsFrom({ shell }: CommandContext): InputSource {
  return async ({ id, description, password, default: otherwise, options }, { server }) => {
    if (!canAsk(shell)) {
      if (otherwise !== undefined) return otherwise;
      throw badArgument(server, `this server needs a value for "${id}", and this is not running in a terminal`);
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

/** `${secret:github-token}` is the variable GITHUB_TOKEN, or is asked for. */
export function secretsFrom({ shell }: CommandContext): SecretSource {
  return async (name, { server }) => {
    const variable = name.toUpperCase().replace(/\W/g, '_');
    const found = shell.env[variable];
    if (found !== undefined && found !== '') return found;
    if (!canAsk(shell))
      throw badArgument(server, `this server needs the secret "${name}"; set the environment variable ${variable}`);
    return askOnTerminal(shell, `${printable(server)}: the secret "${printable(name)}": `, { hidden: true });
  };
}
