// Completions for fish.
#include <fmt/format.h>

#include "app/shells/shells.h"
#include "app/shells/value_kind.h"

namespace mote {
namespace {

constexpr std::string_view kFishHead =
    R"(# Completions of mote for fish, as `mote completions fish` prints them.

# Whether the line has the given command, or no command if the argument is empty.
function __mote_in
    for word in (commandline -opc)[2..-1]
        if contains -- $word $__mote_commands
            test "$word" = "$argv[1]"
            return
        end
    end
    test -z "$argv[1]"
end

# Offers folders and files with these extensions.
function __mote_files
    set -l endings (string escape --style=regex -- $argv | string join '|')
    set -l word (commandline -ct | string replace -r -- '^--[^=]*=' '')
    __fish_complete_path "$word" | string match -r -- "^[^\t]*(?:/|$endings)(?:\t.*)?\$"
end

complete -c mote -f
)";

std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// Flags of `complete` that offer values of the kind.
std::string fish_offer(const ValueKind& kind) {
  std::string text;
  if (!kind.words.empty()) {
    const std::string words = fmt::format("{}", fmt::join(kind.words, " "));
    text += " -a " + fish_quoted(kind.list ? "(__fish_append , " + words + ")" : words);
  }
  if (kind.files && kind.extensions.empty()) {
    text += " -F";
  } else if (kind.files) {
    text += " -a " + fish_quoted(fmt::format("(__mote_files {})", fmt::join(kind.extensions, " ")));
  } else if (kind.folders) {
    text += " -a '(__fish_complete_directories)'";
  }
  return text;
}

/// The flags for an option's value: -r if it needs one, and -x if it is not a file.
std::string offered_value(const Option& option) {
  const ValueKind kind = value_kind(option);
  const bool any_file = kind.files && kind.extensions.empty();
  const std::string needs = !option.implied.empty() ? "" : any_file ? " -r" : " -x";
  return needs + fish_offer(kind);
}

/// Names of a flag as flags of `complete`, for example "-l out -s o".
std::string names(const Option& option) {
  std::string text;
  for (const std::string& spelling : spellings(option)) {
    text += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
  }
  return text;
}

void add_line(std::string& script, const DescribedCommand& command, const std::string& words) {
  const std::string name = name_in_line(command);
  script +=
      fmt::format("complete -c mote -n '__mote_in {}'{}\n", name.empty() ? "\"\"" : name, words);
}

void add_fish_command(std::string& script, const DescribedCommand& command) {
  script += "\n";
  for (const Option& option : arguments_of(command)) {
    const ValueKind kind = value_kind(option);
    if (!kind.nothing()) add_line(script, command, fish_offer(kind));
  }
  for (const Option& option : flags_of(command)) {
    const std::string value = is_switch(option) ? "" : offered_value(option);
    add_line(script, command,
             fmt::format("{}{} -d {}", names(option), value, fish_quoted(help_text(option))));
    if (const std::string off = switching_off(option); !off.empty()) {
      add_line(
          script, command,
          fmt::format(" -l {} -d {}", off.substr(2), fish_quoted("do not: " + help_text(option))));
    }
  }
}

}  // namespace

std::string fish_completions(const DescribedProgram& program) {
  std::string all = "help";
  for (const DescribedCommand& command : program.commands) {
    all += " " + std::string(command.entry->name);
  }
  std::string script = fmt::format("{}\nset -g __mote_commands {}\n", kFishHead, all);
  for (const DescribedCommand& command : program.commands) {
    add_line(script, program.start,
             fmt::format(" -a {} -d {}", command.entry->name, fish_quoted(command.entry->summary)));
  }
  add_line(script, program.start, " -a help -d 'explain a command'");
  script += "complete -c mote -n '__mote_in help' -a \"$__mote_commands\"\n";
  add_fish_command(script, program.start);
  for (const DescribedCommand& command : program.commands) add_fish_command(script, command);
  return script;
}

}  // namespace mote
