#include "fiber.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "sanitizer.h"

namespace cuda_host {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStack_bytes = 256 * 1024;  // address space: pages are taken as they are used

Fiber* left = nullptr;  // by the last switch

/// Stacks above a page that cannot be touched, for Boost.Context.
struct StackAllocator {
  unsigned index;

  boost::context::stack_context allocate() const {
    void* start = mmap(nullptr, kStack_bytes + kPage, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED || mprotect(start, kPage, PROT_NONE) != 0) {
      std::perror("cuda_host: cannot map the stack of a thread");
      std::abort();
    }
    // Stacks that began at the same place of their pages would share a few sets of the cache.
    const std::size_t offset = index % 32 * 128;
    boost::context::stack_context stack;
    stack.size = kStack_bytes - offset;
    stack.sp = static_cast<char*>(start) + kPage + stack.size;
    return stack;
  }
  void deallocate(boost::context::stack_context& stack) const noexcept {
    munmap(static_cast<char*>(stack.sp) - stack.size - kPage, kStack_bytes + kPage);
  }
};

}  // namespace

Fiber::Fiber(void (*body)(void*), void* argument, unsigned index) {
  StackAllocator allocator{index};
  boost::context::stack_context stack = allocator.allocate();
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
