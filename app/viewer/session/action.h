#pragma once

#include <span>
#include <string>
#include <string_view>
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
};

/// The words after an action's name. Each getter throws UsageError, which names the argument, when
/// the word is missing or has another type.
class Arguments {
 public:
  Arguments(std::string_view action, std::span<const ActionArgument> described,
            std::vector<std::string> words);

  std::size_t size() const { return words_.size(); }
  bool has(std::size_t i) const { return i < words_.size(); }
  const std::string& word(std::size_t i) const;
  double number(std::size_t i) const;
  double number_or(std::size_t i, double other) const { return has(i) ? number(i) : other; }
  int whole(std::size_t i) const;
  bool on_or_off(std::size_t i) const;
  const std::vector<std::string>& words() const { return words_; }
  /// Throws UsageError that names argument `i` and what was expected.
  [[noreturn]] void refuse(std::size_t i, std::string_view expected) const;

 private:
  std::string where(std::size_t i) const;

  std::string action_;
  std::span<const ActionArgument> described_;
  std::vector<std::string> words_;
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
};

/// Every action.
const std::vector<Action>& actions();

/// Splits a line into words at blanks. Quotes (" or ') keep blanks. '#' at the start of a word ends
/// the line. Throws UsageError for an unclosed quote.
std::vector<std::string> split_words(std::string_view line);

/// An action and its arguments.
struct ActionCall {
  const Action* action = nullptr;
  std::vector<std::string> words;
};

/// Parses one line. The action is null for an empty line. Throws UsageError for an unknown action,
/// or for too many or too few words.
ActionCall parse_action(std::string_view line);

/// Parses a line that may be incomplete. The action is null when none matches.
ActionCall find_action(std::string_view line);

/// Runs the line's action. Throws Error or UsageError.
void perform(Session& session, std::string_view line);

/// Quotes a word where necessary, so that split_words() gives it back.
std::string as_word(std::string_view word);

}  // namespace mote
