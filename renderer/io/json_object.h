#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mote {

/// An object of a JSON file with typed access by key. Throws Error, which names the object and the
/// key, for a value that is missing, of another type or not finite. Refers to the JSON, which must
/// outlive it.
class JsonObject {
 public:
  /// `where`: file and object, such as "path.json, keyframe 3".
  JsonObject(const nlohmann::json& object, std::string where);

  /// Whether the key exists and is not null.
  bool has(const char* key) const;
  /// The object at the key.
  JsonObject object(const char* key) const;
  double number(const char* key) const;
  double number(const char* key, double otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  std::string text(const char* key, const std::string& otherwise) const;
  /// A list of `count` numbers, which may be nested in lists.
  std::vector<double> numbers(const char* key, std::size_t count) const;
  /// A list of at least one object; `noun` is their name in messages.
  std::vector<JsonObject> objects(const char* key, const std::string& noun) const;

  [[noreturn]] void fail(const char* key, const std::string& problem) const;

 private:
  const nlohmann::json& at(const char* key) const;

  const nlohmann::json& object_;
  std::string where_;
};

/// A value as quoted in a message. Lists and objects are shown by kind only, since they may be
/// deep.
std::string quoted(const nlohmann::json& value);

}  // namespace mote
