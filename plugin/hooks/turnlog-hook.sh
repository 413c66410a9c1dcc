#!/bin/sh
# Runs the hook of the turnlog on the PATH. Where there is none, it says so when a session starts, and nothing else happens.

# Before each prompt and tool call turnlog is asked only where there are budgets: starting it takes a moment. Where its settings are
# not found, it is asked.
has_no_budgets() {
  case $(uname) in
    Darwin) base="$HOME/Library/Application Support" ;;
    MINGW* | MSYS* | CYGWIN*) base="${LOCALAPPDATA:-$HOME/AppData/Local}" ;;
    *) base="${XDG_DATA_HOME:-$HOME/.local/share}" ;;
  esac
  data="${TURNLOG_DATA_DIR:-$base/turnlog}"
  [ -d "$data" ] && ! grep -q '"budgets"' "$data/config.json" 2>/dev/null
}

if command -v turnlog >/dev/null 2>&1; then
  if [ "$1" = budget ] && has_no_budgets; then exit 0; fi
  exec turnlog hook --plugin
fi
if [ "$1" = start ]; then
  echo '{"systemMessage":"The turnlog plugin does nothing yet: turnlog is not on the PATH."}'
fi
exit 0
