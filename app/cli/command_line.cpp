// Parses the command line into options. CLI11 handles the grammar (flags, values, positions), and
// the option tables give the values their meaning.
#include "app/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "app/cli/described_command.h"
#include "app/cli/version.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/spelling.h"
#include "devices/devices.h"

namespace mote {
namespace {

constexpr std::string_view kViewing = "view";  // the command that opens paths

/// An option given by the user, before it is set.
struct Given {
  const Option* option;
  std::string text;
};

/// Whether the option takes all positions that are left, one value each.
bool takes_positions(const Option& option) {
  return option.positional && is_list(option);
}

void add_option(CLI::App& app, const Option& option, std::vector<Given>& given) {
  const std::string names = joined_spellings(option);
  const std::string off = switching_off(option);
  CLI::Option* added = nullptr;
  if (is_switch(option)) {
    added = app.add_flag_function(
        off.empty() ? names : names + ",!" + off,
        [&](std::int64_t count) {
          given.push_back({&option, count > 0 ? "true" : "false"});
        },
        help_text(option));
  } else {
    added = app.add_option(
        names,
        [&](const CLI::results_t& texts) {
          if (takes_positions(option)) {
            for (const std::string& text : texts) given.push_back({&option, text});
          } else {
            given.push_back({&option, fmt::format("{}", fmt::join(texts, ","))});
          }
          return true;
        },
        help_text(option));
    added->multi_option_policy(is_list(option) ? CLI::MultiOptionPolicy::TakeAll
                                               : CLI::MultiOptionPolicy::TakeLast);
    added->expected(option.implied.empty() ? 1 : 0, 1)->allow_extra_args(false);
    if (takes_positions(option)) added->expected(-1);
    added->default_str(option.implied);
    added->option_text(option.positional ? " " : value_name(option));
  }
  added->group(option.group);
}

/// CLI11's help with even spacing, and without brackets around required arguments.
struct HelpFormatter : CLI::Formatter {
  std::string make_option_usage(const CLI::Option* option) const override {
    return make_option_name(option, true);
  }
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    // CLI11 appends the value "{false}" to flags that switch something off.
    return CLI::detail::find_and_replace(CLI::Formatter::make_option_name(option, is_positional),
                                         "{false}", "");
  }
  std::string make_description(const CLI::App* app) const override {
    return CLI::Formatter::make_description(app) + "\n";
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode),
                                         "\n\n\n", "\n\n");
  }
};

/// One command while its words are being parsed.
struct Candidate : DescribedCommand {
  std::vector<Given> given;
  CLI::App* app = nullptr;

  using DescribedCommand::DescribedCommand;

  void attach(CLI::App& to) {
    app = &to;
    app->allow_extras();
    for (const Option& option : table.options()) add_option(*app, option, given);
    const Option help = help_option();
    app->set_help_flag(joined_spellings(help), help.help)->group(help.group);
  }

  std::string help_call() const {
    return "see mote " + (entry == &kStartCommand ? "" : std::string(entry->name) + " ") + "--help";
  }
};

/// Throws for an unused word: a misspelt flag or command, or a superfluous word.
[[noreturn]] void refuse_word(const std::string& word, const Candidate& candidate) {
  const bool is_flag = word.size() > 1 && word[0] == '-';
  const bool is_command = !is_flag && candidate.entry == &kStartCommand;
  std::vector<std::string> names;
  if (is_command) {
    for (const CommandEntry* entry : commands()) names.emplace_back(entry->name);
  } else if (is_flag) {
    for (const CLI::Option* option : candidate.app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  const std::string meant = nearest_name(word.substr(0, word.find('=')), names);
  throw UsageError(is_flag      ? "unknown option"
                   : is_command ? "unknown command"
                                : "one argument too many",
                   word.empty() ? "''" : word,
                   meant.empty() ? candidate.help_call() : fmt::format("did you mean {}?", meant));
}

/// Throws UsageError for an option whose value is the name of another one: its own was forgotten.
/// One letter may be a value: --up takes -y.
void check_values(const Candidate& candidate) {
  const auto is_option = [&](const std::string& word) {
    return std::ranges::any_of(candidate.table.options(), [&](const Option& option) {
      const std::vector<std::string> names = spellings(option);
      return !option.positional && std::ranges::find(names, word) != names.end();
    });
  };
  for (const Given& one : candidate.given) {
    if (one.option->positional || !one.text.starts_with("--") || !is_option(one.text)) continue;
    throw UsageError(fmt::format("needs a value, but {} follows", one.text),
                     "--" + one.option->name, candidate.help_call());
  }
}

/// The options in a configuration file. Throws UsageError, which names the line, for text that is
/// not JSON.
nlohmann::json read_config(const std::string& file) {
  const std::string text = read_text_file(file);
  try {
    return parsed_json(text, file, "write {\"option\": value, ...}", true);
  } catch (const Error& fault) {
    throw UsageError(fault.problem(), fault.where(), fault.remedy());
  }
}

/// A value of a position is taken as it is: a path may contain commas.
void set_value(const Given& given) {
  if (takes_positions(*given.option)) {
    std::get<std::vector<std::string>*>(given.option->target)->push_back(given.text);
  } else {
    set_option(*given.option, given.text);
  }
}

/// Sets the values of the config file, then those of the flags, and checks that required options
/// are set.
void set_options(Candidate& candidate, const std::vector<Given>& before_command) {
  std::vector<Given> given = before_command;
  given.insert(given.end(), candidate.given.begin(), candidate.given.end());
  for (const Given& one : given) {
    if (one.option->name != "config") continue;
    const nlohmann::json values = read_config(one.text);
    candidate.table.from_json(values, one.text);
    for (const auto& item : values.items()) {
      std::string name = item.key();
      std::replace(name.begin(), name.end(), '_', '-');
      candidate.command->given.insert(name);
    }
  }
  for (const Given& one : given) {
    const bool is_word =
        takes_positions(*one.option) || std::holds_alternative<std::string*>(one.option->target);
    if (one.text.empty() && is_word) {
      throw UsageError("is empty",
                       one.option->positional ? one.option->placeholder : "--" + one.option->name,
                       "give it a value, or leave it out");
    }
    set_value(one);
    candidate.command->given.insert(one.option->name);
    candidate.command->flags.insert(one.option->name);
  }
  for (const Option& option : candidate.table.options()) {
    if (!option.required || !option_text(option).empty()) continue;
    throw UsageError("is missing", option.positional ? option.placeholder : "--" + option.name,
                     candidate.help_call());
  }
}

/// Whether the words are paths to open, as a desktop calls the program with.
bool open_paths(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const std::string& first = words.front();
  const bool is_command = std::ranges::any_of(
      commands(), [&](const CommandEntry* entry) { return entry->name == first; });
  std::error_code ignored;
  return !is_command && !first.starts_with('-') && std::filesystem::exists(first, ignored);
}

}  // namespace

CommandLine::CommandLine(std::vector<std::string> words) {
  CLI::App app("Mote trains, shows, edits and measures radiance fields.");
  app.name("mote")->require_subcommand(0, 1);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(36);
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  app.formatter(formatter);

  Candidate start(kStartCommand, globals);
  start.attach(app);
  const Option version = version_option();
  app.set_version_flag(joined_spellings(version), "", version.help)->group(version.group);
  std::vector<std::unique_ptr<Candidate>> candidates;
  for (const CommandEntry* entry : commands()) {
    auto& candidate = candidates.emplace_back(std::make_unique<Candidate>(*entry, globals));
    candidate->attach(*app.add_subcommand(std::string(entry->name), std::string(entry->summary))
                           ->group("Commands")
                           ->footer(std::string(entry->notes)));
  }
  // `mote help convert` is `mote convert --help`.
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }

  if (open_paths(words)) words.insert(words.begin(), std::string(kViewing));

  const auto chosen = [&]() -> Candidate& {
    for (const auto& candidate : candidates) {
      if (candidate->app->parsed()) return *candidate;
    }
    return start;
  };
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    text = app.help();
    return;
  } catch (const CLI::CallForVersion&) {
    for (const Given& one : start.given) set_option(*one.option, one.text);
    text = globals.json ? version_json() : version_text();
    return;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();  // begins with the flag and a colon
    throw UsageError("needs a value", message.substr(0, message.find(':')), chosen().help_call());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), "", chosen().help_call());
  }
  Candidate& candidate = chosen();
  check_values(candidate);
  auto extras = app.remaining(true);
  std::erase(extras, "--");  // CLI11 leaves the mark itself
  if (!extras.empty()) refuse_word(extras.front(), candidate);
  set_options(candidate, &candidate == &start ? std::vector<Given>{} : start.given);
  check_device(globals.device);  // also for commands that open none
  command = std::move(candidate.command);
}

}  // namespace mote
