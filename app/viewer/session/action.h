#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace mote {

struct Session;

/// Kind of path that an argument names; tells menus and forms which dialog to open.
enum class PathUse { none, file, file_or_folder, folder, new_file, new_folder };

/// One argument of an action, for its help and for menus and forms that ask for it.
struct ActionArgument {
  std::string_view name;
  std::string_view help;
  bool optional = false;
  bool repeated = false;  // takes all remaining words
  PathUse path = PathUse::none;
  /// File extensions of a new file, separated by blanks; the first one is the default.
  std::string_view extensions = {};
  /// The same where they depend on the active scene; null: they do not.
  std::string_view (*extensions_now)(const Session& session) = nullptr;
};

/// One argument of a call: a word, or a number at full precision.
using ActionValue = std::variant<std::string, double>;

/// The arguments of a call. Each getter throws UsageError, which names the argument, when
/// the argument is missing or has another type.
class Arguments {
 public:
  Arguments(std::string_view action, std::span<const ActionArgument> described,
            std::vector<ActionValue> values);

  std::size_t size() const { return values_.size(); }
  bool has(std::size_t i) const { return i < values_.size(); }
  std::string word(std::size_t i) const;
  double number(std::size_t i) const;
  double number_or(std::size_t i, double other) const { return has(i) ? number(i) : other; }
  int whole(std::size_t i) const;
  bool on_or_off(std::size_t i) const;
  std::vector<std::string> words() const;
  /// Throws UsageError that names argument `i` and what was expected.
  [[noreturn]] void refuse(std::size_t i, std::string_view expected) const;

 private:
  std::string where(std::size_t i) const;

  std::string action_;
  std::span<const ActionArgument> described_;
  std::vector<ActionValue> values_;
};

/// One thing that a user can do: a button, a key, a menu row or a script line.
struct Action {
  std::string_view name;   // as scripts write it: "camera orbit"
  std::string_view group;  // heading in menus and help
  std::string_view help;   // a phrase
  std::string_view key;    // as people write it: "Ctrl+O", "W"; empty: none
  std::vector<ActionArgument> arguments;
  /// Throws Error or UsageError.
  void (*run)(Session& session, const Arguments& arguments);
  bool needs_window = false;
  /// Whether the action can run now, for keys and menus. Null: always possible, or `run` reports
  /// the problem itself.
  bool (*possible)(const Session& session) = nullptr;
  std::string_view second_key = {};  // another key of the same action
};

/// Every action. The table stands in actions/actions.cpp, which knows all of them.
const std::vector<Action>& actions();

/// The action with that name. CHECKs that there is one.
const Action& named_action(std::string_view name);

/// An action and its arguments. Panels build calls directly; scripts are parsed into them.
struct ActionCall {
  ActionCall() = default;
  ActionCall(const char* name) : ActionCall(std::string_view(name)) {}
  /// `name` is the action's full name; the values are words, paths and numbers.
  template <class... Values>
  ActionCall(std::string_view name, const Values&... given) : action(&named_action(name)) {
    (add(given), ...);
  }

  template <class Value>
  void add(const Value& value) {
    static_assert(!std::is_same_v<Value, bool>, "actions differ in their words for true and false");
    if constexpr (std::is_arithmetic_v<Value>) {
      values.emplace_back(static_cast<double>(value));
    } else {
      values.emplace_back(std::string(value));
    }
  }

  bool operator==(const ActionCall&) const = default;

  const Action* action = nullptr;  // null: nothing to do
  std::vector<ActionValue> values;
};

/// Splits a line into words at blanks. Quotes (" or ') keep blanks. '#' at the start of a word ends
/// the line. Throws UsageError for an unclosed quote.
std::vector<std::string> split_words(std::string_view line);

/// Parses one line of a script. The action is null for an empty line. A quoted word is not part of
/// an action's name: `photograph "next"` names a photograph. Throws UsageError for an unknown
/// action, or for too many or too few words.
ActionCall parse_action(std::string_view line);

/// Runs a call; does nothing without an action. Throws Error or UsageError, also for too many or
/// too few arguments.
void perform(Session& session, const ActionCall& call);

/// Quotes a word where necessary, so that split_words() gives it back.
std::string as_word(std::string_view word);

/// The value as a word of a script; numbers keep their precision.
std::string word_of(const ActionValue& value);

/// The script line from which parse_action() makes the same call; empty without an action.
std::string script_line(const ActionCall& call);

}  // namespace mote
