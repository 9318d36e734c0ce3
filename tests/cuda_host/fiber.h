#pragma once

// A stack and a place to go on from. Switching takes a few nanoseconds.

#include <boost/context/fiber.hpp>
#include <cstddef>

namespace cuda_host {

/// Whether the address lies in the stack of a fiber.
bool is_fiber_stack(const void* address);

class Fiber {
 public:
  /// The stack that calls: it must be switched away from before it is switched to.
  Fiber() = default;
  /// A stack of its own, kept for good, on which the first switch calls `body(argument)`, which
  /// must never return.
  Fiber(void (*body)(void*), void* argument);

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves this fiber, which is the running one, for `next`. Returns when another switches back.
  void switch_to(Fiber& next);

 private:
  void entered();

  boost::context::fiber context_;  // empty while it runs
  // For the sanitizer.
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* kept_ = nullptr;
};

}  // namespace cuda_host
