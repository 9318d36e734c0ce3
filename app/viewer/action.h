#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mote {

struct Session;

/// What an argument names on the disk, if anything: whoever asks for it knows what to offer.
enum class PathUse { none, file, file_or_folder, folder, new_file, new_folder };

/// One argument of an action, for its help and for menus and forms that ask for it.
struct ActionArgument {
  std::string_view name;
  std::string_view help;
  bool optional = false;
  bool repeated = false;  // takes all words that are left
  PathUse path = PathUse::none;
  /// Of a new file, with blanks between them; the first is the usual one.
  std::string_view extensions = {};
};

/// The words behind an action's name. Each getter throws UsageError, naming the argument, where the
/// word is missing or not such a value.
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
  /// Says what is wrong with argument `i`.
  [[noreturn]] void refuse(std::size_t i, std::string_view expected) const;

 private:
  std::string where(std::size_t i) const;

  std::string action_;
  std::span<const ActionArgument> described_;
  std::vector<std::string> words_;
};

/// One thing that a user can do: a button, a key, a row of a menu, a line of a script.
struct Action {
  std::string_view name;   // as scripts write it: "camera orbit"
  std::string_view group;  // heading in menus and help
  std::string_view help;   // a phrase
  std::string_view key;    // as people write it: "Ctrl+O", "W"; empty: none
  std::vector<ActionArgument> arguments;
  /// Throws Error or UsageError.
  void (*run)(Session& session, const Arguments& arguments);
  bool needs_window = false;
  /// Whether there is something for it to do, for keys and menus; null: always, or it says itself
  /// what is wrong.
  bool (*possible)(const Session& session) = nullptr;
};

/// Every action.
const std::vector<Action>& actions();

/// Splits a line into words at blanks; quotes (" or ') keep blanks, and '#' at the start of a word
/// ends the line. Throws UsageError for a quote that is not closed.
std::vector<std::string> split_words(std::string_view line);

/// An action and what it is called with.
struct ActionCall {
  const Action* action = nullptr;
  std::vector<std::string> words;
};

/// Understands one line; the action is null where nothing stands in it. Throws UsageError where
/// there is no such action, or more or fewer words than it takes.
ActionCall parse_action(std::string_view line);

/// The same for a line that may lack words, or be nothing that there is: then the action is null.
ActionCall find_action(std::string_view line);

/// Does what the line says. Throws Error or UsageError.
void perform(Session& session, std::string_view line);

/// A word as split_words() reads it back.
std::string as_word(std::string_view word);

}  // namespace mote
