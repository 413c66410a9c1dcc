/*
 * What a shell runs at its start. Each script asks `turnlog completion suggest` and knows no command itself, so that it fits every
 * version. The words go over as one argument, a line each, with a point as the last line: options among them are then no options of
 * `suggest`, and no shell drops an empty word at the end. The answer has a line for each suggestion: word, tab, explanation. No line:
 * the shell completes file names.
 */

const BASH = `_turnlog() {
  local IFS=$'\\n' word help
  local words="\${COMP_WORDS[*]:0:COMP_CWORD+1}"
  COMPREPLY=()
  while IFS=$'\\t' read -r word help; do
    COMPREPLY+=("$word")
  done < <(turnlog completion suggest "$words"$'\\n.' 2>/dev/null)
}
complete -o bashdefault -o default -F _turnlog turnlog
`;

const ZSH = `#compdef turnlog
_turnlog() {
  local -a described
  local word help
  while IFS=$'\\t' read -r word help; do
    described+=("\${word//:/\\\\:}:$help")
  done < <(turnlog completion suggest "\${(pj:\\n:)words[1,CURRENT]}"$'\\n.' 2>/dev/null)
  if (( \${#described} )); then
    _describe -V turnlog described
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _turnlog ]]; then
  _turnlog
else
  compdef _turnlog turnlog
fi
`;

const FISH = `function __turnlog_suggest
    set -l words (commandline -opc) "$(commandline -ct)"
    set -l found (turnlog completion suggest (string join \\n -- $words . | string collect) 2>/dev/null)
    if test (count $found) -gt 0
        string join \\n -- $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c turnlog -f -k -a '(__turnlog_suggest)'
`;

interface Shell {
  readonly script: string;
  readonly setup: string;
}

export const SHELLS: Readonly<Record<"bash" | "zsh" | "fish", Shell>> = {
  bash: { script: BASH, setup: 'in ~/.bashrc: eval "$(turnlog completion bash)"' },
  zsh: { script: ZSH, setup: 'in ~/.zshrc, after compinit: eval "$(turnlog completion zsh)"' },
  fish: { script: FISH, setup: "once: turnlog completion fish > ~/.config/fish/completions/turnlog.fish" },
};
