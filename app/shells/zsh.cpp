// Completions for zsh, with its function _arguments.
#include <fmt/format.h>

#include "app/shells/shells.h"
#include "app/shells/value_kind.h"

namespace mote {
namespace {

constexpr std::string_view kZshHead = R"(#compdef mote
# Completions of mote for zsh, as `mote completions zsh` prints them.

)";

constexpr std::string_view kZshMain = R"(
_mote() {
  local curcontext=$curcontext state line ret=1
  local -a flags
  typeset -A opt_args
  _mote_flags ""
  _arguments -C -S \
    $flags \
    '1: :_mote_commands' \
    '*:: :->command' && ret=0
  [[ $state == command ]] || return ret
  curcontext=${curcontext%:*}-$line[1]:
  _mote_flags $line[1]
  case $line[1] in
    help) _arguments '1: :_mote_commands' && ret=0 ;;
)";

constexpr std::string_view kZshTail = R"(  esac
  return ret
}

if [[ $funcstack[1] == _mote ]]; then
  _mote "$@"
else
  compdef _mote mote
fi
)";

/// Puts text in single quotes.
std::string zsh_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

/// Escapes the special characters of a specification.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\[]:").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string file_action(const ValueKind& kind) {
  if (!kind.files) return "_files -/";
  if (kind.extensions.empty()) return "_files";
  std::vector<std::string> endings;
  for (const std::string& extension : kind.extensions) endings.push_back(extension.substr(1));
  return fmt::format("_files -g \"*.({})(-.)\"", fmt::join(endings, "|"));
}

/// The action of _arguments that completes values of the kind.
std::string action(const ValueKind& kind) {
  if (kind.nothing()) return " ";
  if (kind.words.empty()) return file_action(kind);
  const std::string words = fmt::format("{}", fmt::join(kind.words, " "));
  if (kind.list) return "_sequence compadd - " + words;
  if (!kind.files && !kind.folders) return "(" + words + ")";
  return fmt::format("{{compadd - {}; {}}}", words, file_action(kind));
}

std::string value(const Option& option) {
  const std::string_view mark = option.implied.empty() ? ":" : "::";
  return fmt::format("{}{}:{}", mark, escaped(value_name(option)), action(value_kind(option)));
}

/// Adds the specifications of one flag, one per spelling. Spellings exclude each other, except for
/// lists.
void add_flag(std::string& script, const Option& option) {
  std::vector<std::string> names = spellings(option);
  if (const std::string off = switching_off(option); !off.empty()) names.push_back(off);
  const std::string others = is_list(option) ? "*" : fmt::format("({})", fmt::join(names, " "));
  for (const std::string& name : names) {
    const std::string_view joint = is_switch(option) ? "" : name.starts_with("--") ? "=" : "+";
    const bool off = name == switching_off(option);
    const std::string text = (off ? "do not: " : "") + help_text(option);
    script += "      " +
              zsh_quoted(fmt::format("{}{}{}[{}]{}", others, name, joint, escaped(text),
                                     is_switch(option) ? "" : value(option))) +
              "\n";
  }
}

void add_zsh_command(std::string& script, const DescribedCommand& command) {
  script += fmt::format("    {})\n      _arguments -S $flags", name_in_line(command));
  int place = 1;
  for (const Option& option : arguments_of(command)) {
    script +=
        " \\\n        " + zsh_quoted(fmt::format("{}:{}:{}", place++, escaped(value_name(option)),
                                                 action(value_kind(option))));
  }
  script += " && ret=0\n      ;;\n";
}

void add_zsh_flags(std::string& script, const DescribedCommand& command) {
  script += fmt::format("    '{}') flags=(\n", name_in_line(command));
  for (const Option& option : flags_of(command)) add_flag(script, option);
  script += "    ) ;;\n";
}

std::string command_list(const DescribedProgram& program) {
  std::string script = "_mote_commands() {\n  local -a commands=(\n";
  for (const DescribedCommand& command : program.commands) {
    script +=
        "    " +
        zsh_quoted(fmt::format("{}:{}", command.entry->name, escaped(command.entry->summary))) +
        "\n";
  }
  script += "    'help:explain a command'\n  )\n";
  return script + "  _describe -t commands command commands\n}\n";
}

}  // namespace

std::string zsh_completions(const DescribedProgram& program) {
  std::string script(kZshHead);
  script += command_list(program);
  script += "\n# Sets `flags` to the specifications of a command's flags.\n_mote_flags() {\n";
  script += "  flags=()\n  case $1 in\n";
  add_zsh_flags(script, program.start);
  for (const DescribedCommand& command : program.commands) add_zsh_flags(script, command);
  script += "  esac\n}\n";
  script += kZshMain;
  for (const DescribedCommand& command : program.commands) add_zsh_command(script, command);
  script += kZshTail;
  return script;
}

}  // namespace mote
