// From the words of the command line to options: CLI11 knows the grammar (flags, values, places),
// the option tables know what the values mean.
#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/file.h"
#include "core/spelling.h"

namespace mote {
namespace {

/// An option as the user gave it, before it is set.
struct Given {
  const Option* option;
  std::string text;
};

bool is_bool(const Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

std::string placeholder(const Option& option) {
  if (!option.placeholder.empty()) return option.placeholder;
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, "|"));
  constexpr std::string_view kByType[] = {"", "N", "X", "TEXT", "TEXT,...", "X,..."};
  return std::string(kByType[option.target.index()]);
}

/// The help phrase with default, range and unit behind it.
std::string description(const Option& option) {
  std::vector<std::string> facts;
  const bool shown_as_value = option.placeholder.empty() && !option.choices.empty();
  const std::string allowed = shown_as_value ? "" : allowed_values(option);
  if (const std::string value = option_text(option); !is_bool(option) && !value.empty()) {
    const bool with_unit = allowed.empty() && !option.unit.empty();
    facts.push_back("default " + value + (with_unit ? " " + option.unit : ""));
  }
  if (!allowed.empty()) facts.push_back(allowed);
  if (facts.empty()) return option.help;
  return fmt::format("{} ({})", option.help, fmt::join(facts, "; "));
}

void add_option(CLI::App& app, const Option& option, std::vector<Given>& given) {
  std::string names = option.positional ? option.placeholder : "--" + option.name;
  for (const std::string& alias : option.aliases) names += "," + alias;
  CLI::Option* added = nullptr;
  if (is_bool(option)) {
    const bool on = *std::get<bool*>(option.target);
    added = app.add_flag_function(
        on ? names + ",!--no-" + option.name : names,
        [&](std::int64_t count) {
          given.push_back({&option, count > 0 ? "true" : "false"});
        },
        description(option));
  } else {
    added = app.add_option(
        names,
        [&](const CLI::results_t& texts) {
          given.push_back({&option, fmt::format("{}", fmt::join(texts, ","))});
          return true;
        },
        description(option));
    const bool list = option.target.index() >= 4;
    added->multi_option_policy(list ? CLI::MultiOptionPolicy::TakeAll
                                    : CLI::MultiOptionPolicy::TakeLast);
    added->expected(option.implied.empty() ? 1 : 0, 1)->allow_extra_args(false);
    added->default_str(option.implied);
    added->option_text(option.positional ? " " : placeholder(option));
  }
  added->group(option.group);
}

/// CLI11's help, evenly spaced, and without brackets around what must be given.
struct HelpFormatter : CLI::Formatter {
  std::string make_option_usage(const CLI::Option* option) const override {
    return make_option_name(option, true);
  }
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    // CLI11 writes what a flag sets behind the flags that switch off.
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

/// One command while its words are being read.
struct Candidate {
  const CommandEntry* entry;
  std::unique_ptr<Command> command;
  OptionTable table;
  std::vector<Given> given;
  CLI::App* app = nullptr;

  Candidate(const CommandEntry& described, GlobalOptions& globals)
      : entry(&described), command(described.make()) {
    command->describe(table);
    OptionTable shared;
    globals.describe(shared);
    for (const Option& option : shared.options()) {
      if (table.find(option.name) == nullptr) table.add(option);
    }
  }

  void attach(CLI::App& to) {
    app = &to;
    app->allow_extras();
    for (const Option& option : table.options()) add_option(*app, option, given);
    app->set_help_flag("-h,--help", "print this help")->group("Global options");
  }

  std::string help_call() const {
    return "see mote " + (entry == &kStartCommand ? "" : std::string(entry->name) + " ") + "--help";
  }
};

/// A word that nothing took: a misspelt flag or command, or one word too many.
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
  std::error_code ignored;
  if (is_command && meant.empty() && std::filesystem::exists(word, ignored)) {
    throw UsageError("is not a command", word, fmt::format("try mote info {}", word));
  }
  throw UsageError(is_flag      ? "unknown option"
                   : is_command ? "unknown command"
                                : "one argument too many",
                   word.empty() ? "''" : word,
                   meant.empty() ? candidate.help_call() : fmt::format("did you mean {}?", meant));
}

/// Sets what the config file and then what the flags say, and checks that nothing is missing.
void set_options(Candidate& candidate, const std::vector<Given>& before_command) {
  std::vector<Given> given = before_command;
  given.insert(given.end(), candidate.given.begin(), candidate.given.end());
  for (const Given& one : given) {
    if (one.option->name != "config") continue;
    const std::string text = read_text_file(one.text);
    const auto values = nlohmann::json::parse(text, nullptr, false, true);
    if (values.is_discarded()) {
      throw UsageError("is not valid JSON", one.text, "write {\"option\": value, ...}");
    }
    candidate.table.from_json(values, one.text);
    for (const auto& item : values.items()) {
      std::string name = item.key();
      std::replace(name.begin(), name.end(), '_', '-');
      candidate.command->given.insert(name);
    }
  }
  for (const Given& one : given) {
    if (one.text.empty() && std::holds_alternative<std::string*>(one.option->target)) {
      throw UsageError("is empty",
                       one.option->positional ? one.option->placeholder : "--" + one.option->name,
                       "give it a value, or leave it out");
    }
    set_option(*one.option, one.text);
    candidate.command->given.insert(one.option->name);
    candidate.command->flags.insert(one.option->name);
  }
  for (const Option& option : candidate.table.options()) {
    if (!option.required || !option_text(option).empty()) continue;
    throw UsageError("is missing", option.positional ? option.placeholder : "--" + option.name,
                     candidate.help_call());
  }
}

}  // namespace

void GlobalOptions::describe(OptionTable& table) {
  const auto add = [&](Option option) {
    option.group = "Global options";
    table.add(std::move(option));
  };
  add({.name = "device",
       .target = &device,
       .help = "where to render: auto, cpu, cuda or cuda:INDEX",
       .placeholder = "NAME"});
  add({.name = "json", .target = &json, .help = "machine-readable result on standard output"});
  add({.name = "progress",
       .target = &progress,
       .help = "how to show progress",
       .choices = {"auto", "plain", "none"}});
  add({.name = "quiet", .target = &quiet, .help = "only say what failed", .aliases = {"-q"}});
  add({.name = "verbose", .target = &verbose, .help = "say more"});
  add({.name = "seed", .target = &seed, .help = "seed of random numbers", .minimum = 0});
  add({.name = "yes",
       .target = &yes,
       .help = "overwrite files that exist",
       .aliases = {"-y", "--overwrite"}});
  add({.name = "config",
       .target = &config,
       .help = "JSON file of options by name; flags win over it",
       .placeholder = "FILE"});
}

CommandLine::CommandLine(std::vector<std::string> words) {
  CLI::App app("Mote loads, renders and measures radiance fields.");
  app.name("mote")->require_subcommand(0, 1);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(36);
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  app.formatter(formatter);

  Candidate start(kStartCommand, globals);
  start.attach(app);
  app.set_version_flag("--version", "mote " MOTE_VERSION, "print the version")
      ->group("Global options");
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
  } catch (const CLI::CallForVersion& version) {
    text = std::string(version.what()) + "\n";
    return;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();  // begins with the flag and a colon
    throw UsageError("needs a value", message.substr(0, message.find(':')), chosen().help_call());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), "", chosen().help_call());
  }
  Candidate& candidate = chosen();
  auto extras = app.remaining(true);
  std::erase(extras, "--");  // CLI11 leaves the mark itself
  if (!extras.empty()) refuse_word(extras.front(), candidate);
  set_options(candidate, &candidate == &start ? std::vector<Given>{} : start.given);
  command = std::move(candidate.command);
}

}  // namespace mote
