#include "io/fields/config_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/error.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/spelling.h"
#include "io/json_object.h"

namespace mote {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 16 << 20;
constexpr int kMostParents = 16;
constexpr std::size_t kMostDepth = 64;

/// Whole numbers in full, others with six digits.
std::string bound_text(double bound) {
  constexpr double kLongest = 1e10;
  const bool is_whole = bound == std::floor(bound) && std::abs(bound) < kLongest;
  return is_whole ? fmt::format("{:.0f}", bound) : fmt::format("{:.6g}", bound);
}

/// The characters of a text, which count its lines while they are read.
class CountedCharacters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedCharacters(const char* at, int* line) : at_(at), line_(line) {}

  reference operator*() const { return *at_; }
  CountedCharacters& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountedCharacters operator++(int) {
    const CountedCharacters before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountedCharacters& a, const CountedCharacters& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  int* line_;
};

/// Builds the values, and calls note(path) at each key.
template <class Note>
class Builder {
 public:
  Builder(json& top, const Note& note) : top_(top), note_(note) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(json::number_integer_t value) { return put(value); }
  bool number_unsigned(json::number_unsigned_t value) { return put(value); }
  bool number_float(json::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(json::binary_t&) { return false; }
  bool key(std::string& name) {
    key_ = name;
    note_(path() + key_);
    return true;
  }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t bytes_read, const std::string&, const json::exception& error) {
    const bool is_large_number = dynamic_cast<const json::out_of_range*>(&error) != nullptr;
    fault = JsonFault{.bytes_read = bytes_read, .is_large_number = is_large_number};
    return false;
  }

  std::optional<JsonFault> fault;  // of the text
  std::string problem;             // of its values

 private:
  struct Level {
    json* value;
    std::string path;  // with a slash at the end
  };

  std::string path() const { return open_.empty() ? "" : open_.back().path; }
  json* place(json value) {
    if (open_.empty()) {
      top_ = std::move(value);
      return &top_;
    }
    json& into = *open_.back().value;
    if (into.is_array()) {
      into.push_back(std::move(value));
      return &into.back();
    }
    json& own = into[key_];
    own = std::move(value);
    return &own;
  }
  bool put(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    if (open_.size() == kMostDepth) {
      problem = fmt::format("objects are nested more than {} deep", kMostDepth);
      return false;
    }
    std::string own;
    if (!open_.empty()) {
      const json& into = *open_.back().value;
      own = path() + (into.is_array() ? std::to_string(into.size()) : key_) + "/";
    }
    open_.push_back({place(std::move(value)), std::move(own)});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json& top_;
  const Note& note_;
  std::vector<Level> open_;
  std::string key_;
};

/// Removes the places of types that a file has as its parents do: it replaces no type.
template <class Places>
void forget_repeated_types(const json& own, const json& inherited, const std::string& path,
                           Places& places) {
  for (const auto& item : own.items()) {
    const auto before = inherited.find(item.key());
    if (before == inherited.end()) continue;
    if (item.value().is_object() && before->is_object()) {
      forget_repeated_types(item.value(), *before, path + item.key() + "/", places);
    } else if (item.key() == "otype" && item.value().is_string() && before->is_string() &&
               lower_case(item.value().get<std::string>()) ==
                   lower_case(before->get<std::string>())) {
      places.erase(path + item.key());
    }
  }
}

}  // namespace

ConfigText::ConfigText(const fs::path& file) : file_(file), top_(json::object()) {
  read(file, 0);
}

void ConfigText::read(const fs::path& file, int depth) {
  if (depth > kMostParents) {
    throw Error(fmt::format("has more than {} parents", kMostParents), file_.string(),
                "remove \"parent\" from a file that is its own parent");
  }
  const std::string text = read_text_file(file, kMostBytes);
  int line = 1;
  json own;
  std::map<std::string, Place> places;
  const auto note = [&](const std::string& path) {
    places[path] = {fmt::format("{}, line {}", file.string(), line), depth};
  };
  Builder builder(own, note);
  const bool whole = json::sax_parse(CountedCharacters(text.data(), &line),
                                     CountedCharacters(text.data() + text.size(), &line), &builder,
                                     json::input_format_t::json, true, true);
  if (builder.fault) throw json_error(text, *builder.fault, file.string(), "correct the file");
  if (!whole || !own.is_object()) {
    throw Error(builder.problem.empty() ? "is not a JSON object" : builder.problem,
                fmt::format("{}, line {}", file.string(), line), "correct the file");
  }
  if (const auto parent = own.find("parent"); parent != own.end()) {
    if (!parent->is_string()) {
      throw Error("parent: expected a file's name, found " + quoted(*parent), places["parent"].text,
                  "correct the file");
    }
    read(file.parent_path() / parent->get<std::string>(), depth + 1);
    own.erase("parent");
    forget_repeated_types(own, top_, "", places);
  }
  top_.merge_patch(own);
  for (auto& [path, place] : places) places_[path] = std::move(place);
}

std::string ConfigText::place(const std::string& path) const {
  const auto found = places_.find(path);
  return found == places_.end() ? file_.string() : found->second.text;
}

Error ConfigText::placed(const Error& fault) const {
  std::string path = fault.where();
  while (!path.empty() && !places_.contains(path)) {
    const std::size_t slash = path.rfind('/');
    path.resize(slash == path.npos ? 0 : slash);
  }
  return {fault.where() + ": " + fault.problem(), place(path), fault.remedy()};
}

bool ConfigText::is_replaced(const std::string& object, const std::string& key) const {
  const std::string before = object.empty() ? "" : object + "/";
  const auto type = places_.find(before + "otype"), own = places_.find(before + key);
  return type != places_.end() && own != places_.end() && own->second.depth > type->second.depth;
}

ConfigObject::ConfigObject(const json& object, const ConfigText& text, std::string path)
    : object_(object), text_(text), path_(std::move(path)) {
  if (!object.is_object()) {
    throw Error(fmt::format("{}{}expected an object, found {}", path_, path_.empty() ? "" : ": ",
                            quoted(object)),
                text.place(path_), "correct the file");
  }
}

void ConfigObject::fail(const std::string& key, const std::string& problem,
                        const std::string& remedy) const {
  const std::string path = path_of(key);
  throw Error(path + ": " + problem, text_.place(path), remedy);
}

std::string ConfigObject::path_of(const std::string& key) const {
  return path_.empty() ? key : path_ + "/" + key;
}

const json* ConfigObject::find(const std::string& key) const {
  known_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

bool ConfigObject::has(const std::string& key) const {
  return find(key) != nullptr;
}

double ConfigObject::number(const std::string& key, double otherwise, double least,
                            double most) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  const double number = value->is_number() ? value->get<double>() : NAN;
  if (!(number >= least && number <= most)) {
    fail(key,
         fmt::format("expected a number from {} to {}, found {}", bound_text(least),
                     bound_text(most), quoted(*value)),
         "correct the value");
  }
  return number;
}

int ConfigObject::integer(const std::string& key, int otherwise, int least, int most) const {
  const double value = number(key, otherwise, least, most);
  if (value != std::floor(value)) {
    fail(key, fmt::format("expected a whole number, found {:.6g}", value), "correct the value");
  }
  return static_cast<int>(value);
}

bool ConfigObject::flag(const std::string& key, bool otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    fail(key, "expected true or false, found " + quoted(*value), "correct the value");
  }
  return value->get<bool>();
}

std::string ConfigObject::name(const std::string& key, const std::string& otherwise) const {
  const json* value = find(key);
  if (value != nullptr && !value->is_string()) {
    fail(key, "expected a name, found " + quoted(*value), "correct the value");
  }
  return lower_case(value == nullptr ? otherwise : value->get<std::string>());
}

std::optional<ConfigObject> ConfigObject::object(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  return ConfigObject(*value, text_, path_of(key));
}

std::vector<ConfigObject> ConfigObject::objects(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr || !value->is_array() || value->empty()) {
    fail(key, "expected a list of objects", "correct the value");
  }
  std::vector<ConfigObject> all;
  for (std::size_t i = 0; i < value->size(); ++i) {
    all.emplace_back((*value)[i], text_, fmt::format("{}/{}/{}", path_, key, i));
  }
  return all;
}

void ConfigObject::refuse_others(std::span<const std::string_view> of_types) const {
  for (const auto& item : object_.items()) {
    const std::string& key = item.key();
    if (known_.contains(key)) continue;
    const bool is_left = text_.is_merged() && std::ranges::find(of_types, key) != of_types.end();
    if (!is_left && !text_.is_replaced(path_, key)) {
      fail(key, "is not a key that is known here", "correct or remove it");
    }
    text_.unused().push_back(path_of(key));
  }
}

}  // namespace mote
