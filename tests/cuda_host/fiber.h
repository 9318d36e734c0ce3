#pragma once

// A stack and a position to continue from. A switch takes a few nanoseconds.

#include <boost/context/fiber.hpp>
#include <cstddef>

namespace cuda_host {

/// Whether the address is in the stack of a fiber.
bool is_fiber_stack(const void* address);

class Fiber {
 public:
  /// The stack of the caller. It must be left before it can be switched to.
  Fiber() = default;
  /// A new stack, never freed. The first switch calls `body(argument)` on it, which must not
  /// return.
  Fiber(void (*body)(void*), void* argument);

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Switches from this fiber, which must be running, to `next`. Returns when another fiber
  /// switches back.
  void switch_to(Fiber& next);

 private:
  void entered();

  boost::context::fiber context_;  // empty while running
  // For the address sanitizer.
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* kept_ = nullptr;
};

}  // namespace cuda_host
