#include "app/cli/described_command.h"

#include <fmt/format.h>

#include "backend/backend.h"
#include "devices/devices.h"

namespace mote {
namespace {

constexpr const char* kGlobalGroup = "Global options";

/// Returns "auto|cuda[:N]|cpu", with the backends of this build.
std::string device_names() {
  std::string names = "auto";
  for (const BackendEntry& entry : backends()) {
    names += fmt::format("|{}{}", entry.name, entry.list != nullptr ? "[:N]" : "");
  }
  return names;
}

/// An option without a value, of which only the name is used.
Option printing_option(std::string name, std::string help) {
  static bool never_read = false;
  return {.name = std::move(name),
          .target = &never_read,
          .help = std::move(help),
          .group = kGlobalGroup};
}

}  // namespace

void GlobalOptions::describe(OptionTable& table) {
  const auto add = [&](Option option) {
    option.group = kGlobalGroup;
    table.add(std::move(option));
  };
  add({.name = "device",
       .target = &device,
       .help = "where to render and train; N is the number of a GPU",
       .placeholder = device_names()});
  add({.name = "json", .target = &json, .help = "machine-readable result on standard output"});
  add({.name = "progress",
       .target = &progress,
       .help = "how to show progress",
       .choices = {"auto", "plain", "none"}});
  add({.name = "quiet", .target = &quiet, .help = "print errors only", .aliases = {"-q"}});
  add({.name = "verbose", .target = &verbose, .help = "print more details"});
  add({.name = "seed", .target = &seed, .help = "seed of random numbers", .minimum = 0});
  add({.name = "yes",
       .target = &yes,
       .help = "overwrite existing files",
       .aliases = {"-y", "--overwrite"}});
  add({.name = "config",
       .target = &config,
       .help = "JSON file of options by name; flags override it",
       .placeholder = "FILE"});
}

DescribedCommand::DescribedCommand(const CommandEntry& described, GlobalOptions& globals)
    : entry(&described), command(described.make()) {
  command->describe(table);
  OptionTable shared;
  globals.describe(shared);
  for (const Option& option : shared.options()) {
    if (table.find(option.name) == nullptr) table.add(option);
  }
}

DescribedProgram::DescribedProgram() : start(kStartCommand, globals) {
  for (const CommandEntry* entry : mote::commands()) commands.emplace_back(*entry, globals);
}

Option help_option() {
  Option option = printing_option("help", "print this help");
  option.aliases = {"-h"};
  return option;
}

Option version_option() {
  return printing_option("version", "print the version and the abilities of this build");
}

bool is_switch(const Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

bool is_list(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.target) ||
         std::holds_alternative<std::vector<double>*>(option.target);
}

std::vector<std::string> spellings(const Option& option) {
  if (option.positional) return {option.placeholder};
  std::vector<std::string> all{"--" + option.name};
  all.insert(all.end(), option.aliases.begin(), option.aliases.end());
  return all;
}

std::string joined_spellings(const Option& option) {
  return fmt::format("{}", fmt::join(spellings(option), ","));
}

std::string switching_off(const Option& option) {
  return is_switch(option) && *std::get<bool*>(option.target) ? "--no-" + option.name : "";
}

std::string value_name(const Option& option) {
  if (!option.placeholder.empty()) return option.placeholder;
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, "|"));
  constexpr std::string_view kByType[] = {"", "N", "X", "TEXT", "TEXT,...", "X,..."};
  return std::string(kByType[option.target.index()]);
}

namespace {

/// Whether the current value lies in the range. A default outside of it stands for no value.
bool is_in_range(const Option& option) {
  const auto is_inside = [&](double value) {
    return option.minimum <= value && value <= option.maximum;
  };
  if (const auto* const* number = std::get_if<double*>(&option.target)) return is_inside(**number);
  if (const auto* const* whole = std::get_if<int*>(&option.target)) return is_inside(**whole);
  return true;
}

}  // namespace

std::string help_text(const Option& option) {
  std::vector<std::string> facts;
  const bool shown_as_value = option.placeholder.empty() && !option.choices.empty();
  const std::string allowed = shown_as_value ? "" : allowed_values(option);
  const std::string value = option_text(option);
  if (!is_switch(option) && !value.empty() && is_in_range(option)) {
    const bool with_unit = allowed.empty() && !option.unit.empty();
    facts.push_back("default " + value + (with_unit ? " " + option.unit : ""));
  }
  if (!allowed.empty()) facts.push_back(allowed);
  if (facts.empty()) return option.help;
  return fmt::format("{} ({})", option.help, fmt::join(facts, "; "));
}

}  // namespace mote
