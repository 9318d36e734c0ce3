#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "pages.h"
#include "sanitizer.h"

namespace cuda_host {
namespace {

constexpr std::size_t kStack_bytes = 256 * 1024;  // address space: pages are committed on first use

Fiber* left = nullptr;  // fiber that the last switch left

constexpr std::size_t kFibers = 8192;  // maximum, with those that a fault left behind

/// Adjacent stacks for Boost.Context, each above an inaccessible page.
class Stacks {
 public:
  Stacks() {
    void* start = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) give_up();
    start_ = static_cast<char*>(start);
  }

  boost::context::stack_context take() {
    char* guard = start_ + taken_ * (kStack_bytes + kPage);
    if (taken_ == kFibers || mprotect(guard, kPage, PROT_NONE) != 0) give_up();
    // Stacks with the same offset in their pages would compete for a few sets of the cache.
    const std::size_t offset = taken_++ % 32 * 128;
    boost::context::stack_context stack;
    stack.size = kStack_bytes - offset;
    stack.sp = guard + kPage + stack.size;
    return stack;
  }

  bool has(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(start_) <
           kBytes;
  }

 private:
  static constexpr std::size_t kBytes = kFibers * (kStack_bytes + kPage);

  [[noreturn]] static void give_up() {
    std::perror("cuda_host: cannot map the stacks of threads");
    std::abort();
  }

  char* start_;
  std::size_t taken_ = 0;
};

Stacks& stacks() {
  static Stacks stacks;
  return stacks;
}

struct StackAllocator {
  boost::context::stack_context allocate() const { return stacks().take(); }
  void deallocate(boost::context::stack_context&) const noexcept {}
};

}  // namespace

bool is_fiber_stack(const void* address) {
  return stacks().has(address);
}

Fiber::Fiber(void (*body)(void*), void* argument) {
  const StackAllocator allocator;
  const boost::context::stack_context stack = allocator.allocate();
  stack_bottom_ = static_cast<char*>(stack.sp) - stack.size;
  stack_bytes_ = stack.size;
  context_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), allocator,
      [this, body, argument](boost::context::fiber&& from) -> boost::context::fiber {
        left->context_ = std::move(from);
        entered();
        body(argument);
        std::abort();
      });
}

void Fiber::switch_to(Fiber& next) {
  left = this;
  leave_stack(&kept_, next.stack_bottom_, next.stack_bytes_);
  boost::context::fiber from = std::move(next.context_).resume();
  left->context_ = std::move(from);
  entered();
}

void Fiber::entered() {
  enter_stack(kept_, &left->stack_bottom_, &left->stack_bytes_);
}

}  // namespace cuda_host
