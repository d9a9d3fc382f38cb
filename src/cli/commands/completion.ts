/** `mooring completion`: a script that makes a shell complete this command line. */

import { suggest } from '../../model/suggest.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { command } from '../command.ts';
import { completionScripts } from '../completion/scripts.ts';

export const completionCommand = command('completion', {
  usage: ['<bash | zsh | fish>'],
  about: `Print a completion script for your shell.

The shell then completes commands, options, configured servers, modules, tool names and argument names with Tab. For names of tools, completion connects to the server for at most 3 seconds and remembers them for 10 minutes. It does not start a configured server that you have not approved.`,
  options: {},
  examples: [
    ['source <(mooring completion bash)', 'add this line to ~/.bashrc'],
    ['source <(mooring completion zsh)', 'add this line to ~/.zshrc, after compinit'],
    ['mooring completion fish > ~/.config/fish/completions/mooring.fish'],
  ],
  async run(input) {
    const { print } = input;
    const known = [...completionScripts.keys()];
    const shellName = onlyWord(input, '<shell>', `one of ${known.join(', ')}`);
    const script = completionScripts.get(shellName);
    if (script === undefined) throw badArgument(shellName, `there is no script for it; ${suggest(shellName, known)}`);
    print.data({ shell: shellName, script });
    print.raw(script);
  },
});
