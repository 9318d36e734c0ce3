#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mote {

/// One option, described once: it becomes a command-line flag, a JSON key and a row of the control
/// panel. `target` points at the value, which holds the default until something sets it.
struct Option {
  using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*,
                              std::vector<double>*>;

  std::string name;  // long flag and JSON key, words joined by '-'
  Target target;
  std::string help;       // a phrase; the default is added by who prints it
  std::string unit = {};  // "px", "s", "steps", ...
  std::vector<std::string> aliases =
      {};  // other spellings, with their dashes: "-o", "--output-dir"
  std::vector<std::string> choices = {};  // allowed values of a string; empty allows any
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
};

/// The options of one command or subsystem. Values live in the caller's struct.
class OptionTable {
 public:
  OptionTable& add(Option option);
  const std::vector<Option>& options() const { return options_; }
  const Option* find(std::string_view name) const;

  /// {"name": value, ...} of all options as they stand.
  nlohmann::json to_json() const;
  /// Sets what the object names. Throws Error (naming `where` and the key) for an unknown key, a
  /// wrong type, a value out of range or not among the choices.
  void from_json(const nlohmann::json& values, const std::string& where);
  /// Checks the range and choices of every option as it stands; throws Error naming the flag.
  void validate() const;

 private:
  std::vector<Option> options_;
};

}  // namespace mote
