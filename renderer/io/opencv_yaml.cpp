#include "io/opencv_yaml.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/printable.h"

namespace mote {
namespace {

constexpr std::uint64_t kMostYamlBytes = 1ull << 28;

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string unquoted(std::string_view text) {
  text = without_blanks(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

/// A number as OpenCV writes it: "1.", ".Nan", "-.Inf", "1.0e+00".
std::optional<double> yaml_number(std::string_view text) {
  text = without_blanks(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == ".Nan" || text == ".NaN" || text == ".nan") return std::nan("");
  if (text == ".Inf" || text == ".inf") return HUGE_VAL;
  if (text == "-.Inf" || text == "-.inf") return -HUGE_VAL;
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// Reads the lines of a file into values.
class YamlLines {
 public:
  using Value = OpencvYaml::Value;

  YamlLines(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

  std::map<std::string, Value> read() {
    std::map<std::string, Value> values;
    while (next()) {
      if (line_.starts_with('%') || line_.starts_with("---") || line_.starts_with("...")) continue;
      if (is_indented()) continue;  // below a value that was skipped
      const std::size_t colon = line_.find(':');
      if (colon == std::string_view::npos) fail("expected \"key: value\"");
      const std::string key = unquoted(line_.substr(0, colon));
      values[key] = read_value(without_blanks(line_.substr(colon + 1)));
    }
    return values;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(problem, fmt::format("{}, line {}", file_, number_),
                "write the file again with OpenCV's FileStorage");
  }

  /// Moves to the next line that is not empty and no comment.
  bool next() {
    for (;;) {
      if (again_) {
        again_ = false;
        return true;
      }
      if (rest_.empty()) return false;
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      const std::string_view content = without_blanks(line_);
      if (!content.empty() && content.front() != '#') return true;
    }
  }

  bool is_indented() const { return line_.front() == ' ' || line_.front() == '\t'; }
  bool is_item() const { return without_blanks(line_).starts_with("- "); }

  /// Adds the items of a list "[a, b, ...]" that begins in `text` and may go on in further lines.
  void read_list(std::string_view text, std::vector<std::string>& items) {
    text.remove_prefix(1);
    for (;;) {
      const std::size_t end = text.find_first_of(",]");
      const std::string_view item = without_blanks(text.substr(0, end));
      if (!item.empty()) items.push_back(unquoted(item));
      if (end == std::string_view::npos) {
        if (!next()) fail("the list does not end");
        text = line_;
      } else if (text[end] == ']') {
        return;
      } else {
        text.remove_prefix(end + 1);
      }
    }
  }

  Value read_value(std::string_view text) {
    Value value;
    value.line = number_;
    if (text.starts_with('[')) {
      read_list(text, value.items);
    } else if (text.starts_with("!!opencv-matrix")) {
      read_matrix(value);
    } else if (text.empty()) {
      read_block(value);
    } else if (!text.starts_with("!!") && !text.starts_with('{')) {
      value.items.push_back(unquoted(text));
    }
    return value;
  }

  /// Lines "- item" below a key.
  void read_block(Value& value) {
    while (next()) {
      if (!is_item()) {
        again_ = true;
        return;
      }
      value.items.push_back(unquoted(without_blanks(line_).substr(1)));
    }
  }

  void read_matrix(Value& value) {
    bool has_data = false;
    while (next()) {
      if (!is_indented()) {
        again_ = true;
        break;
      }
      const std::string_view line = without_blanks(line_);
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) fail("expected rows, cols, dt or data");
      const std::string_view key = line.substr(0, colon),
                             text = without_blanks(line.substr(colon + 1));
      if (key == "rows") value.rows = side(text);
      if (key == "cols") value.columns = side(text);
      if (key != "data") continue;
      if (!text.starts_with('[')) fail("expected a list of numbers in brackets");
      read_list(text, value.items);
      has_data = true;
    }
    if (!has_data || value.items.size() != value.rows * value.columns) {
      fail(fmt::format("the matrix of {} rows and {} columns has {} numbers", value.rows,
                       value.columns, value.items.size()));
    }
  }

  std::size_t side(std::string_view text) const {
    constexpr double kMost = 1e6;
    const double value = yaml_number(text).value_or(-1);
    if (!(value >= 0 && value <= kMost && value == std::floor(value))) {
      fail("expected a whole number of rows or columns");
    }
    return static_cast<std::size_t>(value);
  }

  std::string file_;
  std::string_view rest_, line_;
  std::size_t number_ = 0;
  bool again_ = false;
};

}  // namespace

OpencvYaml::OpencvYaml(const std::filesystem::path& path) : file_(path.string()) {
  const std::string text = read_text_file(path, kMostYamlBytes);
  values_ = YamlLines(file_, text).read();
}

void OpencvYaml::fail(const std::string& key, const std::string& problem) const {
  const auto found = values_.find(key);
  throw Error(problem,
              found == values_.end()
                  ? fmt::format("{}, {}", file_, printable(key))
                  : fmt::format("{}, line {}, {}", file_, found->second.line, printable(key)),
              "correct the file, or write it again with OpenCV's FileStorage");
}

std::optional<double> OpencvYaml::number(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  return numbers(key, 1).front();
}

std::vector<std::string> OpencvYaml::texts(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>{} : found->second.items;
}

std::vector<double> OpencvYaml::numbers(const std::string& key, std::size_t count) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  const std::vector<std::string>& items = found->second.items;
  if (items.size() != count) {
    fail(key, fmt::format("expected {} numbers, found {}", count, items.size()));
  }
  std::vector<double> values;
  for (const std::string& item : items) {
    const std::optional<double> value = yaml_number(item);
    if (!value || !std::isfinite(*value)) {
      fail(key, "expected a finite number, found \"" + printable(item.substr(0, 40)) + "\"");
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace mote
