#include "app/shells/value_kind.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "app/cli/described_command.h"
#include "io/splats/format_lists.h"

namespace mote {
namespace {

void add_files(ValueKind& kind, const std::vector<std::string>& extensions) {
  kind.files = true;
  kind.extensions.insert(kind.extensions.end(), extensions.begin(), extensions.end());
}

bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 ||
           std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
}

void add_alternative(ValueKind& kind, std::string_view name) {
  const std::string_view word = name.substr(0, name.find('['));
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of({"SCENE", "IN"})) {
    add_files(kind, shortest_extensions(FormatUse::read));
  } else if (name == "OUT") {
    add_files(kind, shortest_extensions(FormatUse::write));
  } else if (is_one_of({"FILE", "PATH", "DATASET", "DATA"})) {
    add_files(kind, {});
  } else if (name.starts_with("FILE.")) {
    add_files(kind, {std::string(name.substr(4))});
  } else if (is_one_of({"DIR", "PHOTOS"})) {
    kind.folders = true;
  } else if (!word.empty() && is_word(word)) {
    kind.words.emplace_back(word);
  }
}

}  // namespace

ValueKind value_kind(const Option& option) {
  ValueKind kind;
  kind.list = is_list(option);
  if (is_switch(option)) return kind;
  if (!option.choices.empty()) {
    kind.words = option.choices;
    return kind;
  }
  const std::string names = value_name(option);
  if (names.find(',') != std::string::npos && names.find('|') == std::string::npos) return kind;
  for (std::size_t start = 0; start <= names.size();) {
    const std::size_t end = std::min(names.find('|', start), names.size());
    add_alternative(kind, std::string_view(names).substr(start, end - start));
    start = end + 1;
  }
  if (kind.files) kind.folders = false;
  return kind;
}

}  // namespace mote
