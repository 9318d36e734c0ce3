#pragma once

#include <stdexcept>
#include <string>

namespace mote {

/// A fault of the user, of a file or of a device: the problem, its place and the remedy. Only code
/// that can go on without the failed part catches it; otherwise `main` prints it. Programming
/// faults are for CHECK.
class Error : public std::runtime_error {
 public:
  /// `problem`: what was found and what was expected. `where`: file, offset, option or device.
  /// `remedy`: what the user can do. All are phrases without a capital or a full stop. Control
  /// characters in them are shown as \n, \x1b and the like.
  Error(const std::string& problem, const std::string& where, const std::string& remedy);

  const std::string& problem() const { return problem_; }
  const std::string& where() const { return where_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string problem_, where_, remedy_;
};

/// The device no longer answers this process, such as after a memory fault. Its memory content is
/// lost.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

/// The text of `errno` as a phrase, for the `problem` of an Error.
std::string system_message(int error_number);

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace mote

/// Ends the program where the condition is false, in every build: a programming fault.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::mote::check_failed(#condition, __FILE__, __LINE__))
