#include "core/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/spelling.h"

namespace mote {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    parts.emplace_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

std::string flag(const Option& option) {
  return option.positional ? option.placeholder : "--" + option.name;
}

[[noreturn]] void refuse(const Option& option, const std::string& where, std::string_view found,
                         std::string_view expected) {
  const std::string allowed = allowed_values(option);
  throw UsageError(fmt::format("'{}' is not {}", found, expected), where,
                   allowed.empty() ? "see --help" : "give " + allowed);
}

template <class Number>
Number parse_number(const Option& option, std::string_view text) {
  constexpr bool kWhole = std::is_integral_v<Number>;
  Number value{};
  const char* end = text.data() + text.size();
  // from_chars does not accept a leading plus sign.
  const char* begin = text.data() + (text.starts_with('+') && text.size() > 1 ? 1 : 0);
  const auto [stop, fault] = std::from_chars(begin, end, value);
  if (fault == std::errc::result_out_of_range) {
    refuse(option, flag(option), text, kWhole ? "a whole number that fits 32 bits" : "in range");
  }
  if (fault != std::errc() || stop != end || !std::isfinite(static_cast<double>(value))) {
    refuse(option, flag(option), text, kWhole ? "a whole number" : "a finite number");
  }
  return value;
}

bool parse_bool(const Option& option, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  refuse(option, flag(option), text, "true or false");
}

void check_range(const Option& option, const std::string& where, double value) {
  if (value >= option.minimum && value <= option.maximum) return;
  refuse(option, where, fmt::format("{}", value), "in range");
}

void check_choice(const Option& option, const std::string& where, const std::string& value) {
  const auto& choices = option.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  const std::string meant = nearest_name(value, choices);
  refuse(option, where, value,
         meant.empty() ? "known here" : fmt::format("known here (did you mean '{}'?)", meant));
}

template <class T>
void check_list(const Option& option, const std::string& where, const std::vector<T>& values) {
  if (option.length == 0 || values.size() == option.length) return;
  throw UsageError(fmt::format("has {} values, expected {}", values.size(), option.length), where,
                   "separate the values by commas, without spaces");
}

/// The JSON value as T. Integers must be whole and fit.
template <class T>
T json_value(const nlohmann::json& value, const std::string& where) {
  const auto wrong = [&](std::string_view expected) -> UsageError {
    return {fmt::format("{} is not {}", value.dump(), expected), where, "see --help"};
  };
  if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) throw wrong("true or false");
  } else if constexpr (std::is_same_v<T, int>) {
    if (!value.is_number_integer() || value != static_cast<int>(value.get<std::int64_t>())) {
      throw wrong("a whole number that fits 32 bits");
    }
  } else if constexpr (std::is_same_v<T, double>) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) throw wrong("a finite number");
  } else {
    if (!value.is_string()) throw wrong("a string");
  }
  return value.get<T>();
}

template <class T>
std::vector<T> json_list(const nlohmann::json& value, const std::string& where) {
  if (!value.is_array()) {
    throw UsageError(value.dump() + " is not a list", where, "put the values in [ ]");
  }
  std::vector<T> list;
  for (const auto& item : value) list.push_back(json_value<T>(item, where));
  return list;
}

}  // namespace

OptionTable& OptionTable::add(Option option) {
  CHECK(!option.name.empty() && find(option.name) == nullptr);
  CHECK(!option.positional || !option.placeholder.empty());
  options_.push_back(std::move(option));
  return *this;
}

const Option* OptionTable::find(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

nlohmann::json OptionTable::to_json() const {
  nlohmann::json values = nlohmann::json::object();
  for (const Option& option : options_) {
    std::visit([&](const auto* value) { values[option.name] = *value; }, option.target);
  }
  return values;
}

void OptionTable::from_json(const nlohmann::json& values, const std::string& where) {
  if (!values.is_object()) {
    throw UsageError("is not a JSON object", where, "write {\"option\": value, ...}");
  }
  for (const auto& item : values.items()) {
    const std::string& key = item.key();
    if (key.starts_with('#')) continue;
    const nlohmann::json& value = item.value();
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    const Option* option = find(name);
    if (option == nullptr) {
      std::vector<std::string> names;
      for (const Option& known : options_) names.push_back(known.name);
      const std::string meant = nearest_name(name, names);
      throw UsageError(fmt::format("unknown option \"{}\"", key), where,
                       meant.empty() ? "see --help for the options of this command"
                                     : fmt::format("did you mean \"{}\"?", meant));
    }
    const std::string place = fmt::format("{}, \"{}\"", where, key);
    std::visit(
        Overloaded{[&]<class T>(std::vector<T>* target) { *target = json_list<T>(value, place); },
                   [&]<class T>(T* target) { *target = json_value<T>(value, place); }},
        option->target);
    check_option(*option, place);
  }
}

void OptionTable::take(const OptionTable& from) {
  for (const Option& option : options_) {
    const Option* source = from.find(option.name);
    CHECK(source != nullptr && source->target.index() == option.target.index());
    std::visit([&]<class T>(T* target) { *target = *std::get<T*>(source->target); }, option.target);
  }
}

void set_option(const Option& option, std::string_view text) {
  std::visit(Overloaded{
                 [&](bool* value) { *value = parse_bool(option, text); },
                 [&](int* value) { *value = parse_number<int>(option, text); },
                 [&](double* value) { *value = parse_number<double>(option, text); },
                 [&](std::string* value) { *value = text; },
                 [&](std::vector<std::string>* values) { *values = split(text); },
                 [&](std::vector<double>* values) {
                   values->clear();
                   for (const std::string& part : split(text)) {
                     values->push_back(parse_number<double>(option, part));
                   }
                 },
             },
             option.target);
  check_option(option, flag(option));
}

void check_option(const Option& option, const std::string& where) {
  std::visit(Overloaded{
                 [](const bool*) {},
                 [&](const int* value) { check_range(option, where, *value); },
                 [&](const double* value) { check_range(option, where, *value); },
                 [&](const std::string* value) { check_choice(option, where, *value); },
                 [&](const std::vector<std::string>* values) {
                   check_list(option, where, *values);
                   for (const auto& value : *values) check_choice(option, where, value);
                 },
                 [&](const std::vector<double>* values) {
                   check_list(option, where, *values);
                   for (const double value : *values) check_range(option, where, value);
                 },
             },
             option.target);
}

std::string option_text(const Option& option) {
  return std::visit(Overloaded{
                        []<class T>(const std::vector<T>* values) {
                          return fmt::format("{}", fmt::join(*values, ","));
                        },
                        [](const auto* value) { return fmt::format("{}", *value); },
                    },
                    option.target);
}

std::string allowed_values(const Option& option) {
  if (!option.choices.empty()) return listed(option.choices);
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const auto written = [](double bound) {
    return bound == std::floor(bound) ? fmt::format("{:.0f}", bound) : fmt::format("{}", bound);
  };
  std::string text;
  if (option.minimum > -kUnbounded && option.maximum < kUnbounded) {
    text = written(option.minimum) + " to " + written(option.maximum);
  } else if (option.minimum > -kUnbounded) {
    text = written(option.minimum) + " or more";
  } else if (option.maximum < kUnbounded) {
    text = written(option.maximum) + " or less";
  }
  if (!option.unit.empty() && !text.empty()) text += " " + option.unit;
  return text;
}

}  // namespace mote
