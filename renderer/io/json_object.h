#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mote {

/// An object of a JSON file whose values are asked for by key and type. Throws Error, naming the
/// object and the key, for a value that is missing, of another type or not finite. Refers to the
/// JSON, which must live as long.
class JsonObject {
 public:
  /// `where` names file and object: "path.json, keyframe 3".
  JsonObject(const nlohmann::json& object, std::string where);

  /// Whether the key is there and not null.
  bool has(const char* key) const;
  double number(const char* key) const;
  double number(const char* key, double otherwise) const;
  bool flag(const char* key, bool otherwise) const;
  std::string text(const char* key, const std::string& otherwise) const;
  /// A list of so many numbers, which may stand in lists of their own.
  std::vector<double> numbers(const char* key, std::size_t count) const;
  /// A list of at least one object; `noun` names them in messages.
  std::vector<JsonObject> objects(const char* key, const std::string& noun) const;

  [[noreturn]] void fail(const char* key, const std::string& problem) const;

 private:
  const nlohmann::json& at(const char* key) const;

  const nlohmann::json& object_;
  std::string where_;
};

}  // namespace mote
