export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/**
 * The script that has a shell complete a command. It calls the command each time, so that it stays right after an
 * update: the answer is one line per word, with a tab and its description, and a last line that says what the shell has
 * to add.
 */
export const shellScript = (shell: Shell, name: string): string => scripts[shell](name)

const scripts: Record<Shell, (name: string) => string> = {
  // Bash splits `--run=x` into three words.
  bash: (name) => `# bash completion for ${name}
_${name}_complete() {
  local cur line also word IFS=$'\\n'
  local -a words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do [[ $word == = ]] || words+=("$word"); done
  cur="\${COMP_WORDS[COMP_CWORD]}"
  [[ $cur == = ]] && { cur=''; words+=(''); }
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then also="$line"; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <(${name} complete -- "\${words[@]}" 2>/dev/null)
  case "$also" in
    :files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$cur")) ;;
    :folders) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$cur")) ;;
  esac
}
complete -F _${name}_complete ${name}
`,
  zsh: (name) => `#compdef ${name}
# zsh completion for ${name}
_${name}() {
  local line also
  local -a told
  for line in "\${(@f)$(${name} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :*) also="$line" ;;
      ?*) told+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( \${#told} )) && _describe '${name}' told
  case "$also" in
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}
if [ "\${funcstack[1]}" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi
`,
  fish: (name) => `# fish completion for ${name}
function __${name}_complete
  set -l typed (commandline -opc)[2..-1] (commandline -ct)
  for line in (${name} complete -- $typed 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':folders'
        __fish_complete_directories (commandline -ct)
      case ':*'
      case '*'
        echo $line
    end
  end
end
complete -c ${name} -f -a '(__${name}_complete)'
`,
}
