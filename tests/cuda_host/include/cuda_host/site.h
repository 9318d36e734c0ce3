#pragma once

namespace cuda_host {

/// Position of a call in a kernel's source, for the report of a fault.
struct Site {
  const char* file = nullptr;
  const char* function = nullptr;
  int line = 0;

  /// As a default argument: the position of the call. (clang 14 lacks std::source_location.)
  static constexpr Site here(const char* file = __builtin_FILE(),
                             const char* function = __builtin_FUNCTION(),
                             int line = __builtin_LINE()) {
    return {file, function, line};
  }

  friend bool operator==(const Site&, const Site&) = default;
};

}  // namespace cuda_host
