#include "app/cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>

#include "app/cli/version.h"

namespace mote {
namespace {

constexpr std::string_view kEnd = R"(.Sh FILES
.Bl -tag -width Ds
.It Pa share/mote/still_life.spz
the scene that the viewer shows first; below the folder above that of the
program
.It Pa ~/.config/mote/settings.json
settings of the viewer and the scenes opened last; below
.Ev XDG_CONFIG_HOME
where that is set
.El
.Sh EXIT STATUS
.Bl -tag -width 4n
.It 0
done
.It 1
failed: the last line of standard error says why, where and what helps
.It 2
wrong usage
.It 130
interrupted, or the reader of the output is gone
.El
.Sh EXAMPLES
.Bd -literal
mote import PHOTOS -o DATASET
mote train DATASET -o OUT
mote eval OUT
mote render OUT --path DATASET -o tour.mp4
mote convert OUT scene.spz
mote view scene.spz
.Ed
)";

/// Escapes text for any position in a roff line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

/// A paragraph in the style of manual pages: short lines, and a new line for each sentence. No line
/// may begin with a character of a roff request.
std::string paragraph(const std::string& text) {
  constexpr std::size_t kColumns = 78;
  std::string result, line;
  const auto end_line = [&] {
    if (line.starts_with('.') || line.starts_with('\'')) result += "\\&";
    result += line + "\n";
    line.clear();
  };
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string shown = escaped(word);
    if (!line.empty() && line.size() + 1 + shown.size() > kColumns) end_line();
    line += (line.empty() ? "" : " ") + shown;
    if (word.ends_with('.') || word.ends_with(".)")) end_line();
  }
  if (!line.empty()) end_line();
  return result;
}

/// A word after a macro, escaped so that it is not read as a macro itself. It may break after each
/// '|'.
std::string argument(std::string_view word) {
  const bool like_macro = word.size() <= 3 && word.size() >= 2 &&
                          std::isupper(static_cast<unsigned char>(word[0])) != 0 &&
                          std::islower(static_cast<unsigned char>(word[1])) != 0;
  std::string result = like_macro ? "\\&" : "";
  for (const char c : escaped(word)) {
    result += c;
    if (c == '|') result += "\\:";
  }
  return result;
}

/// Converts "2026-11-22" to "November 22, 2026".
std::string long_date(std::string_view date) {
  constexpr std::array<std::string_view, 12> kMonths{
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  int month = 0, day = 0;
  if (date.size() != 10) return std::string(date);
  std::from_chars(date.data() + 5, date.data() + 7, month);
  std::from_chars(date.data() + 8, date.data() + 10, day);
  if (month < 1 || month > 12) return std::string(date);
  return fmt::format("{} {}, {}", kMonths[static_cast<std::size_t>(month - 1)], day,
                     date.substr(0, 4));
}

/// A list item with a flag's spellings and its value.
std::string flag_item(const Option& option) {
  std::string item = ".It";
  std::vector<std::string> names = spellings(option);
  if (const std::string off = switching_off(option); !off.empty()) names.push_back(off);
  for (const std::string& name : names) {
    item += fmt::format("{} Fl {}", &name == &names.front() ? "" : " ,", escaped(name.substr(1)));
  }
  if (is_switch(option)) return item + "\n";
  const std::string value = argument(value_name(option));
  return item + (option.implied.empty() ? " Ar " + value : " Op Ar " + value) + "\n";
}

std::string item(const Option& option) {
  const std::string head =
      option.positional ? ".It Ar " + argument(option.placeholder) + "\n" : flag_item(option);
  return head + paragraph(help_text(option));
}

/// Adds the options by heading, without the global ones.
void add_options(std::string& page, const std::vector<Option>& options) {
  std::string_view group;
  for (const Option& option : options) {
    if (option.group == group) {
      page += item(option);
      continue;
    }
    if (!group.empty()) page += ".El\n";
    group = option.group;
    page += fmt::format(".Pp\n{}:\n.Bl -tag -width Ds\n", escaped(group));
    page += item(option);
  }
  if (!group.empty()) page += ".El\n";
}

/// The command's own options, grouped by heading in the order of first use.
std::vector<Option> own_options(const DescribedCommand& command, const OptionTable& globals) {
  std::vector<std::string> groups{"Arguments"};
  std::vector<Option> own;
  for (Option option : command.table.options()) {
    const Option* global = globals.find(option.name);
    if (global != nullptr && global->group == option.group) continue;
    if (option.positional) option.group = "Arguments";
    own.push_back(option);
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  const auto place = [&](const Option& option) {
    return std::find(groups.begin(), groups.end(), option.group);
  };
  std::stable_sort(own.begin(), own.end(),
                   [&](const Option& a, const Option& b) { return place(a) < place(b); });
  return own;
}

std::string synopsis(const DescribedCommand& command) {
  std::string line = ".Nm mote Cm " + argument(command.entry->name) + " Oo Ar options Oc";
  for (const Option& option : command.table.options()) {
    if (!option.positional) continue;
    const std::string name = argument(option.placeholder);
    line += option.required ? " Ar " + name : " Oo Ar " + name + " Oc";
  }
  for (const Option& option : command.table.options()) {
    if (option.positional || !option.required) continue;
    line += " Fl " + escaped(spellings(option).front().substr(1)) + " Ar " +
            argument(value_name(option));
  }
  return line + "\n";
}

void add_command(std::string& page, const DescribedCommand& command, const OptionTable& globals) {
  page += fmt::format(".Ss mote {}\n", escaped(command.entry->name));
  page += paragraph(std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(
                                       command.entry->summary.front())))) +
                    std::string(command.entry->summary.substr(1)) + ".");
  add_options(page, own_options(command, globals));
  if (!command.entry->notes.empty()) page += ".Pp\n" + paragraph(std::string(command.entry->notes));
}

}  // namespace

std::string manual_page(const DescribedProgram& program) {
  std::string page = fmt::format(".Dd {}\n.Dt MOTE 1\n.Os\n", long_date(kCommitDate));
  page +=
      ".Sh NAME\n.Nm mote\n.Nd train, show, edit and measure radiance fields\n"
      ".Sh SYNOPSIS\n.Nm mote Op Ar options\n";
  for (const DescribedCommand& command : program.commands) page += synopsis(command);
  page += ".Sh DESCRIPTION\n" +
          paragraph(
              "Mote trains, shows, edits and measures radiance fields, in a window or without one: "
              "photographs with poses in, a scene of Gaussian splats out. It works with and "
              "without a graphics card. Without a command it opens the viewer, with the scene "
              "looked at last. Results go to standard output, progress and log to standard error.");
  std::vector<Option> shared = program.start.table.options();
  shared.push_back(help_option());
  shared.push_back(version_option());
  page += ".Sh GLOBAL OPTIONS\nEvery command takes these, before or after its name.\n";
  page += ".Bl -tag -width Ds\n";
  for (const Option& option : shared) page += item(option);
  page += ".El\n.Sh COMMANDS\n";
  for (const DescribedCommand& command : program.commands) {
    add_command(page, command, program.start.table);
  }
  return page + std::string(kEnd);
}

}  // namespace mote
