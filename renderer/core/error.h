#pragma once

#include <stdexcept>
#include <string>

namespace mote {

/// A fault of the user, of a file or of a device: what was wrong, where, and what to do about it.
/// Thrown by the library, caught in `main` only. Faults of the programmer are CHECK's business.
class Error : public std::runtime_error {
 public:
  /// `problem`: what was found and what was expected; `where`: file, offset, option or device;
  /// `remedy`: what the user can do. Phrases without a capital or a full stop. Control characters
  /// in them are shown as \n, \x1b and the like.
  Error(std::string problem, std::string where, std::string remedy);

  const std::string& problem() const { return problem_; }
  const std::string& where() const { return where_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string problem_, where_, remedy_;
};

/// A device that answers nothing more to this process, such as after a fault of its memory: what it
/// held is gone.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

/// The text of `errno` as a phrase, for the `problem` of an Error.
std::string system_message(int error_number);

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace mote

/// A fault of the programmer ends the program, in every build.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::mote::check_failed(#condition, __FILE__, __LINE__))
