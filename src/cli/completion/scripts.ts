/** What shells read to complete `mooring`: each asks the command line itself, with the words that were typed. */

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
