// Completions for bash 4 and newer. They do not need the package bash-completion.
#include <fmt/format.h>

#include "app/shells/shells.h"
#include "app/shells/value_kind.h"

namespace mote {
namespace {

constexpr std::string_view kBashHead =
    R"(# Completions of mote for bash, as `mote completions bash` prints them.

# Offers the words that begin like the word at the cursor.
_mote_words() {
  mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# Offers words after the last comma.
_mote_list() {
  local before=
  [[ $cur != *,* ]] || before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur##*,}")
  compopt -o nospace 2>/dev/null
}

# Offers folders and files with these extensions, or all files if none is given.
_mote_files() {
  local extension file
  _mote_folders
  for extension in "${@:-}"; do
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(
      compgen -f -X "!*$extension" -- "$cur" | while IFS= read -r file; do
        [[ -d $file ]] || printf '%s\n' "$file"
      done
    )
  done
}

_mote_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur")
}

# Calls both functions.
_mote_both() {
  $1
  $2
}
)";

constexpr std::string_view kBashTail = R"(
_mote() {
  local cur=${COMP_WORDS[COMP_CWORD]} command='' place=0 word i offer=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]} offer=()
    if [[ $word == -* ]]; then
      # bash splits --flag=value into three words.
      if [[ ${COMP_WORDS[i + 1]} == = ]]; then
        _mote_value "$command $word"
        ((i += 2))
      elif _mote_value "$command $word"; then
        # An optional value is absent if a flag follows.
        [[ ${offer[0]} == optional && ${COMP_WORDS[i + 1]} == -* ]] || ((++i))
      fi
    elif [[ -z $command && $place == 0 && " $_mote_commands " == *" $word "* ]]; then
      command=$word
    else
      ((++place))
    fi
  done
  if ((i > COMP_CWORD)); then
    [[ $cur != = ]] || cur=
    [[ ${offer[0]} != optional ]] || offer=("${offer[@]:1}")
  else
    offer=()
    if [[ $cur == -* ]]; then
      _mote_flags "$command"
    elif [[ -z $command ]]; then
      offer=(_mote_words "$_mote_commands")
    else
      _mote_argument "$command $place"
    fi
  fi
  [[ -z ${offer[0]} ]] || "${offer[@]}"
}

complete -F _mote mote
)";

/// The shell function call that offers values of the kind; empty if none are known.
std::string bash_offer(const ValueKind& kind) {
  std::string call;
  if (!kind.words.empty()) {
    call =
        fmt::format("{} {}", kind.list ? "_mote_list" : "_mote_words", fmt::join(kind.words, " "));
  }
  if (kind.files || kind.folders) {
    const std::string files =
        kind.files ? fmt::format("_mote_files{}{}", kind.extensions.empty() ? "" : " ",
                                 fmt::join(kind.extensions, " "))
                   : "_mote_folders";
    call = kind.words.empty() ? files : fmt::format("_mote_both '{}' '{}'", call, files);
  }
  return call;
}

/// The `case` patterns for all spellings of the flag.
std::string patterns(const std::string& command, const Option& option) {
  std::string text;
  for (const std::string& spelling : spellings(option)) {
    text += fmt::format("{}'{} {}'", text.empty() ? "" : " | ", command, spelling);
  }
  return text;
}

void add_values(std::string& script, const DescribedCommand& command) {
  for (const Option& option : flags_of(command)) {
    if (is_switch(option)) continue;
    const std::string call = bash_offer(value_kind(option));
    const std::string optional = option.implied.empty() ? ""
                                 : call.empty()         ? "optional"
                                                        : "optional ";
    script += fmt::format("    {}) offer=({}{}) ;;\n", patterns(name_in_line(command), option),
                          optional, call);
  }
}

void add_arguments(std::string& script, const DescribedCommand& command) {
  int place = 0;
  for (const Option& option : arguments_of(command)) {
    script += fmt::format("    '{} {}') offer=({}) ;;\n", name_in_line(command), place++,
                          bash_offer(value_kind(option)));
  }
}

void add_bash_flags(std::string& script, const DescribedCommand& command) {
  std::string words;
  for (const Option& option : flags_of(command)) {
    for (const std::string& spelling : spellings(option)) words += " " + spelling;
    if (const std::string off = switching_off(option); !off.empty()) words += " " + off;
  }
  script += fmt::format("    '{}') offer=(_mote_words{}) ;;\n", name_in_line(command), words);
}

using Adds = void (*)(std::string& script, const DescribedCommand& command);

/// A function of the script that sets `offer` depending on its first argument.
std::string choosing_function(std::string_view head, const DescribedProgram& program, Adds adds,
                              std::string_view otherwise) {
  std::string script(head);
  script += "  case $1 in\n";
  adds(script, program.start);
  for (const DescribedCommand& command : program.commands) adds(script, command);
  script += otherwise;
  return script + "  esac\n}\n";
}

}  // namespace

std::string bash_completions(const DescribedProgram& program) {
  std::string commands = "help";
  for (const DescribedCommand& command : program.commands) {
    commands += " " + std::string(command.entry->name);
  }
  return fmt::format(
      "{}\n_mote_commands='{}'\n{}{}{}{}", kBashHead, commands,
      choosing_function("\n# Sets `offer` to the call that offers values of \"COMMAND FLAG\"; "
                        "fails if it has no value.\n_mote_value() {\n",
                        program, add_values, "    *) return 1 ;;\n"),
      choosing_function("\n# The same for \"COMMAND PLACE\".\n_mote_argument() {\n", program,
                        add_arguments,
                        "    help\\ *) offer=(_mote_words \"$_mote_commands\") ;;\n"),
      choosing_function("\n# The same for the flags of COMMAND.\n_mote_flags() {\n", program,
                        add_bash_flags, ""),
      kBashTail);
}

}  // namespace mote
