#pragma once

#include <functional>

namespace mote {

/// A job of this thread that the user can stop, for the lifetime of the object: interrupted() then
/// also asks `cancelled`. Scopes can be nested; the innermost one counts.
class CancelScope {
 public:
  /// `cancelled` is called by this thread only.
  explicit CancelScope(std::function<bool()> cancelled);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  /// Whether the innermost scope of this thread is cancelled; false without a scope.
  static bool is_cancelled();

 private:
  std::function<bool()> cancelled_;
  const CancelScope* outer_;
};

}  // namespace mote
