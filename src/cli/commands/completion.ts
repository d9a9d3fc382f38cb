/** `mooring completion`: prints a completion script for a shell. */
import { suggest } from '../../model/suggest.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { command } from '../command.ts';

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
    if (script === undefined) throw badArgument(shellName, `unsupported shell; ${suggest(shellName, known)}`);
    print.data({ shell: shellName, script });
    print.raw(script);
  },
});

/** Each script calls `mooring complete-words` with the words typed so far. */
const bash = `# bash completion for mooring
_mooring() {
  local line="\${COMP_LINE:0:COMP_POINT}" word prefix reply
  local -a typed=()
  read -ra typed <<< "$line"
  case "$line" in *[[:space:]]) typed+=("") ;; esac
  word="\${typed[\${#typed[@]}-1]}"
  # Bash has split the word at these characters, and replaces only what follows the last one.
  prefix="\${word%"\${word##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r reply; do
    case "$reply" in *= | */) compopt -o nospace 2> /dev/null ;; esac
    COMPREPLY+=("\${reply#"$prefix"}")
  done < <("$1" complete-words -- "\${typed[@]:1}" 2> /dev/null < /dev/null)
}
complete -F _mooring mooring
`;

const zsh = `#compdef mooring
_mooring() {
  local -a found open closed
  found=("\${(@f)$(mooring complete-words -- "\${(@)words[2,CURRENT]}" 2> /dev/null < /dev/null)}")
  open=(\${(M)found:#*[=/]})
  closed=(\${found:#*[=/]})
  closed=(\${closed:#})
  (( $#open )) && compadd -Q -S '' -- $open
  (( $#closed )) && compadd -Q -- $closed
  return 0
}
if [[ "$funcstack[1]" == _mooring ]]; then
  _mooring "$@"
else
  compdef _mooring mooring
fi
`;

const fish = `# fish completion for mooring
function __mooring_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  test (count $current) -eq 0; and set current ''
  command mooring complete-words -- $before[2..-1] $current 2>/dev/null </dev/null
end
complete -c mooring -f -a '(__mooring_complete)'
`;

export const completionScripts: ReadonlyMap<string, string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);
