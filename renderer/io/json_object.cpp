#include "io/json_object.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"

namespace mote {

using nlohmann::json;

std::string quoted(const json& value) {
  if (value.is_structured()) {
    return (value.is_array() ? "a list of " : "an object of ") + std::to_string(value.size());
  }
  return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40);
}

JsonObject::JsonObject(const json& object, std::string where)
    : object_(object), where_(std::move(where)) {}

bool JsonObject::has(const char* key) const {
  const auto found = object_.find(key);
  return found != object_.end() && !found->is_null();
}

const json& JsonObject::at(const char* key) const {
  if (!object_.is_object()) {
    throw Error("expected an object, found " + quoted(object_), where_, "correct the file");
  }
  if (!has(key)) fail(key, "is missing");
  return object_[key];
}

JsonObject JsonObject::object(const char* key) const {
  const json& value = at(key);
  if (!value.is_object()) fail(key, "expected an object, found " + quoted(value));
  return {value, where_ + ", " + key};
}

double JsonObject::number(const char* key) const {
  const json& value = at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    fail(key, "expected a number, found " + quoted(value));
  }
  return value.get<double>();
}

double JsonObject::number(const char* key, double otherwise) const {
  return has(key) ? number(key) : otherwise;
}

bool JsonObject::flag(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const json& value = at(key);
  if (!value.is_boolean()) fail(key, "expected true or false, found " + quoted(value));
  return value.get<bool>();
}

std::string JsonObject::text(const char* key, const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  const json& value = at(key);
  if (!value.is_string()) fail(key, "expected a string, found " + quoted(value));
  return value.get<std::string>();
}

std::vector<double> JsonObject::numbers(const char* key, std::size_t count) const {
  const json& list = at(key);
  std::vector<double> values;
  const auto take = [&](const json& value) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      fail(key, "expected numbers, found " + quoted(value));
    }
    values.push_back(value.get<double>());
  };
  if (!list.is_array())
    fail(key, fmt::format("expected {} numbers, found {}", count, quoted(list)));
  for (const json& value : list) {
    if (value.is_array()) {
      for (const json& inner : value) take(inner);
    } else {
      take(value);
    }
  }
  if (values.size() != count) {
    fail(key, fmt::format("expected {} numbers, found {}", count, values.size()));
  }
  return values;
}

std::vector<JsonObject> JsonObject::objects(const char* key, const std::string& noun) const {
  const json& list = at(key);
  if (!list.is_array()) fail(key, "expected a list, found " + quoted(list));
  if (list.empty()) fail(key, "the list is empty");
  std::vector<JsonObject> objects;
  for (const json& value : list) {
    objects.emplace_back(value, fmt::format("{}, {} {}", where_, noun, objects.size()));
  }
  return objects;
}

void JsonObject::fail(const char* key, const std::string& problem) const {
  throw Error(problem, where_ + ", " + key, "correct the file, or write it again");
}

}  // namespace mote
