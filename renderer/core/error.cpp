#include "core/error.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "core/printable.h"

namespace mote {
namespace {

std::string joined(const std::string& problem, const std::string& where,
                   const std::string& remedy) {
  std::string text = where.empty() ? problem : where + ": " + problem;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

}  // namespace

// Quoted files and names may hold any bytes: a zero would cut the message, an escape sequence would
// reach the terminal.
Error::Error(const std::string& problem, const std::string& where, const std::string& remedy)
    : std::runtime_error(joined(printable(problem), printable(where), printable(remedy))),
      problem_(printable(problem)),
      where_(printable(where)),
      remedy_(printable(remedy)) {}

std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "mote: internal fault: CHECK(%s) failed at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace mote
