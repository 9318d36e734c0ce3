#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"

namespace mote {

/// A value that does not fit the description of its option or argument. `mote` exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// One option, described once. It becomes a command-line flag, a JSON key and a row of the control
/// panel. `target` points at the value, which holds the default until it is set.
struct Option {
  using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*,
                              std::vector<double>*>;

  std::string name;  // long flag and JSON key; words are joined by '-'
  Target target;
  std::string help;       // a phrase; the printer of the help adds the default
  std::string unit = {};  // "px", "s", "steps", ...
  std::vector<std::string> aliases =
      {};  // other spellings, with their dashes: "-o", "--output-dir"
  std::vector<std::string> choices = {};  // allowed values of strings; empty allows any
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::size_t length = 0;        // number of values that a list must have when set; 0: any number
  std::string placeholder = {};  // shown for the value in help: "FILE", "WxH"; empty: by type
  /// Word for the value 0 in the window, if it is not a number like others: "auto", "never".
  std::string zero = {};
  /// The value when a string flag is given without one; empty: a value is required.
  std::string implied = {};
  bool positional = false;        // given by position, without a flag
  bool required = false;          // must be given
  std::string group = "Options";  // heading in help and panels
};

/// The options of one command or subsystem. Values live in the caller's struct.
class OptionTable {
 public:
  OptionTable& add(Option option);
  const std::vector<Option>& options() const { return options_; }
  /// Returns null where there is no option of that name.
  const Option* find(std::string_view name) const;

  /// The current values of all options: {"name": value, ...}.
  nlohmann::json to_json() const;
  /// Sets the options that the object names. '_' may stand for '-'. Keys that start with '#' are
  /// comments. Throws UsageError, which names `where` and the key, for an unknown key, a wrong
  /// type, and a value that is out of range or not among the choices.
  void from_json(const nlohmann::json& values, const std::string& where);
  /// Copies the values of all options from a table that has options with the same names and types.
  void take(const OptionTable& from);

 private:
  std::vector<Option> options_;
};

/// Sets one option from text. Lists are separated by commas. Throws UsageError, which names the
/// option and the text, for an invalid value.
void set_option(const Option& option, std::string_view text);

/// Checks the current value against range, choices and length. Throws UsageError.
void check_option(const Option& option, const std::string& where);

/// The current value in the form that set_option() reads; empty for an empty list.
std::string option_text(const Option& option);

/// Text for the allowed values: "0 to 4 px", "1 or more", "auto, plain or none". Empty where any
/// value is allowed.
std::string allowed_values(const Option& option);

}  // namespace mote
