#include "app/viewer/session/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/options.h"
#include "core/spelling.h"

namespace mote {
namespace {

struct ScriptWord {
  std::string text;
  bool quoted = false;  // at least a part of it
};

std::vector<ScriptWord> split_line(std::string_view line) {
  std::vector<ScriptWord> words;
  ScriptWord word;
  bool in_word = false;
  char quote = 0;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word.text += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      word.quoted = true;
      in_word = true;
    } else if (blank) {
      if (in_word) words.push_back(std::move(word));
      word = {};
      in_word = false;
    } else if (c == '#' && !in_word) {
      break;
    } else {
      word.text += c;
      in_word = true;
    }
  }
  if (quote != 0) {
    throw UsageError(fmt::format("the quote {} is not closed", quote), "action", "close it");
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> texts_of(const std::vector<ScriptWord>& words) {
  std::vector<std::string> texts;
  for (const ScriptWord& word : words) texts.push_back(word.text);
  return texts;
}

std::size_t words_in(std::string_view name) {
  return 1 + static_cast<std::size_t>(std::count(name.begin(), name.end(), ' '));
}

/// Whether the words begin with the action's name. A quoted word is an argument.
bool matches(const Action& action, const std::vector<ScriptWord>& words) {
  const std::size_t count = words_in(action.name);
  if (words.size() < count) return false;
  std::string name;
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i].quoted) return false;
    name += (i == 0 ? "" : " ") + words[i].text;
  }
  return name == action.name;
}

/// The action with the longest name that the words begin with; null if there is none.
const Action* longest_match(const std::vector<ScriptWord>& words) {
  const Action* best = nullptr;
  for (const Action& action : actions()) {
    if (matches(action, words) && (best == nullptr || action.name.size() > best->name.size())) {
      best = &action;
    }
  }
  return best;
}

[[noreturn]] void refuse_name(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Action& action : actions()) names.emplace_back(action.name);
  std::string meant = nearest_name(words.size() > 1 ? words[0] + " " + words[1] : words[0], names);
  if (meant.empty()) meant = nearest_name(words[0], names);
  throw UsageError(fmt::format("there is no action '{}'", words[0]), "action",
                   meant.empty() ? "see the list of actions: mote view --actions"
                                 : fmt::format("did you mean '{}'?", meant));
}

void check_count(const Action& action, std::size_t given) {
  std::size_t least = 0, most = 0;
  for (const ActionArgument& argument : action.arguments) {
    if (!argument.optional) ++least;
    most = argument.repeated ? std::string::npos : most + 1;
  }
  if (given >= least && given <= most) return;
  std::string usage(action.name);
  for (const ActionArgument& argument : action.arguments) {
    usage += fmt::format(fmt::runtime(argument.optional ? " [{}{}]" : " {}{}"), argument.name,
                         argument.repeated ? " ..." : "");
  }
  throw UsageError(fmt::format("{} arguments do not fit", given), std::string(action.name),
                   "write: " + usage);
}

std::string in_quotes(std::string_view word) {
  // Quoted parts continue a word across a change of quotes without a blank between.
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"') {
      quoted += "\"'\"'\"";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

Arguments::Arguments(std::string_view action, std::span<const ActionArgument> described,
                     std::vector<ActionValue> values)
    : action_(action), described_(described), values_(std::move(values)) {}

std::string Arguments::where(std::size_t i) const {
  if (described_.empty()) return action_;
  const ActionArgument& argument = described_[std::min(i, described_.size() - 1)];
  return fmt::format("{}, {}", action_, argument.name);
}

void Arguments::refuse(std::size_t i, std::string_view expected) const {
  throw UsageError(
      has(i) ? fmt::format("'{}' is not {}", word_of(values_[i]), expected) : "is missing",
      where(i), fmt::format("give {}", expected));
}

std::string Arguments::word(std::size_t i) const {
  if (!has(i)) refuse(i, "a word");
  return word_of(values_[i]);
}

std::vector<std::string> Arguments::words() const {
  std::vector<std::string> words;
  for (const ActionValue& value : values_) words.push_back(word_of(value));
  return words;
}

double Arguments::number(std::size_t i) const {
  if (!has(i)) refuse(i, "a number");
  if (const double* given = std::get_if<double>(&values_[i])) {
    if (!std::isfinite(*given)) refuse(i, "a finite number");
    return *given;
  }
  const std::string& text = std::get<std::string>(values_[i]);
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    refuse(i, "a finite number");
  }
  return value;
}

int Arguments::whole(std::size_t i) const {
  const double value = number(i);
  if (value != std::floor(value) || std::abs(value) > 1e9) refuse(i, "a whole number");
  return static_cast<int>(value);
}

bool Arguments::on_or_off(std::size_t i) const {
  const std::string text = word(i);
  if (text != "on" && text != "off") refuse(i, "on or off");
  return text == "on";
}

const Action& named_action(std::string_view name) {
  const auto found = std::find_if(actions().begin(), actions().end(),
                                  [name](const Action& action) { return action.name == name; });
  CHECK(found != actions().end());
  return *found;
}

std::vector<std::string> split_words(std::string_view line) {
  return texts_of(split_line(line));
}

ActionCall parse_action(std::string_view line) {
  const std::vector<ScriptWord> written = split_line(line);
  if (written.empty()) return {};
  const std::vector<std::string> words = texts_of(written);
  ActionCall call;
  call.action = longest_match(written);
  if (call.action == nullptr) refuse_name(words);
  call.values.assign(words.begin() + static_cast<std::ptrdiff_t>(words_in(call.action->name)),
                     words.end());
  check_count(*call.action, call.values.size());
  return call;
}

void perform(Session& session, const ActionCall& call) {
  if (call.action == nullptr) return;
  check_count(*call.action, call.values.size());
  call.action->run(session, Arguments(call.action->name, call.action->arguments, call.values));
}

std::string as_word(std::string_view word) {
  const bool plain = !word.empty() && word.front() != '#' &&
                     word.find_first_of(" \t\r\n\"'") == std::string_view::npos;
  return plain ? std::string(word) : in_quotes(word);
}

std::string word_of(const ActionValue& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

std::string script_line(const ActionCall& call) {
  if (call.action == nullptr) return {};
  std::string line(call.action->name);
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const std::string value = word_of(call.values[i]), longer = line + " " + as_word(value);
    // A plain word could make the name of another action, such as "photograph next".
    const bool unclear = i == 0 && longest_match(split_line(longer)) != call.action;
    line = unclear ? line + " " + in_quotes(value) : longer;
  }
  return line;
}

}  // namespace mote
