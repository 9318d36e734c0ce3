#include "core/error.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace mote {
namespace {

std::string joined(const std::string& problem, const std::string& where,
                   const std::string& remedy) {
  std::string text = where.empty() ? problem : where + ": " + problem;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

}  // namespace

Error::Error(std::string problem, std::string where, std::string remedy)
    : std::runtime_error(joined(problem, where, remedy)),
      problem_(std::move(problem)),
      where_(std::move(where)),
      remedy_(std::move(remedy)) {}

std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "mote: internal fault: CHECK(%s) failed at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace mote
