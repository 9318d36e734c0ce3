#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"

namespace mote {

/// An option or argument that does not fit its description. `mote` ends with 2 for these.
class UsageError : public Error {
 public:
  using Error::Error;
};

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
  std::vector<std::string> choices = {};  // allowed values of strings; empty allows any
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::size_t length = 0;         // how many values a list that is set must have; 0: any number
  std::string placeholder = {};   // stands for the value in help: "FILE", "WxH"; empty: by type
  std::string implied = {};       // the value of a string whose flag stands bare; empty: needs one
  bool positional = false;        // given by its place, without a flag
  bool required = false;          // must be given
  std::string group = "Options";  // heading in help and panels
};

/// The options of one command or subsystem. Values live in the caller's struct.
class OptionTable {
 public:
  OptionTable& add(Option option);
  const std::vector<Option>& options() const { return options_; }
  /// Null where there is none of that name.
  const Option* find(std::string_view name) const;

  /// {"name": value, ...} of all options as they stand.
  nlohmann::json to_json() const;
  /// Sets what the object names; '_' may stand for '-', and keys that start with '#' are remarks.
  /// Throws UsageError (naming `where` and the
  /// key) for an unknown key, a wrong type, a value out of range or not among the choices.
  void from_json(const nlohmann::json& values, const std::string& where);

 private:
  std::vector<Option> options_;
};

/// Sets one option from text. Lists are separated by commas. Throws UsageError, naming the option
/// and the text, for anything that is not such a value.
void set_option(const Option& option, std::string_view text);

/// Checks the value as it stands against range, choices and length; throws UsageError.
void check_option(const Option& option, const std::string& where);

/// The value as it stands, as set_option reads it; empty for an empty list.
std::string option_text(const Option& option);

/// What values there may be: "0 to 4 px", "1 or more", "auto, plain or none"; empty where anything
/// goes.
std::string allowed_values(const Option& option);

}  // namespace mote
