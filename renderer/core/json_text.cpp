#include "core/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mote {
namespace {

constexpr const char* kLargeNumber = "has a number that is too large";
constexpr const char* kNumberRemedy = "correct the number";

std::string syntax_problem(std::string_view text, std::size_t bytes_read) {
  const std::string problem = "is not valid JSON";
  if (bytes_read > text.size()) return problem + ": it ends too early";
  const char last = bytes_read > 0 ? text[bytes_read - 1] : ' ';
  if (last == '\n') return problem + ": a text or a word ends with the line";
  const bool is_shown = last > ' ' && last <= '~';
  return is_shown ? fmt::format("{}: unexpected '{}'", problem, last) : problem;
}

}  // namespace

Error json_error(std::string_view text, const JsonFault& fault, const std::string& file,
                 const std::string& remedy) {
  // The last byte does not count: the end of a line belongs to it.
  const std::size_t before = std::max<std::size_t>(fault.bytes_read, 1) - 1;
  const auto line = 1 + std::ranges::count(text.substr(0, before), '\n');
  const std::string place = fmt::format("{}, line {}", file, line);
  if (fault.is_large_number) return {kLargeNumber, place, kNumberRemedy};
  return {syntax_problem(text, fault.bytes_read), place, remedy};
}

nlohmann::json parsed_json(std::string_view text, const std::string& file,
                           const std::string& remedy, bool allow_comments) {
  try {
    return nlohmann::json::parse(text, nullptr, true, allow_comments);
  } catch (const nlohmann::json::parse_error& fault) {
    throw json_error(text, {.bytes_read = fault.byte, .is_large_number = false}, file, remedy);
  } catch (const nlohmann::json::exception&) {
    throw Error(kLargeNumber, file, kNumberRemedy);  // the library does not tell its place
  }
}

}  // namespace mote
