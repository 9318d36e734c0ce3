// Reports every allocation of a sanitizer's allocator to the allocation meter. The sanitizer has
// its own operator new; malloc() of every library is counted as well.
#include <cstddef>

#include "allocation_meter.h"

// From <sanitizer/allocator_interface.h>, which comes with clang but not with g++. Both runtimes
// have the functions.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*allocated)(const volatile void* pointer, std::size_t bytes),
    void (*freed)(const volatile void* pointer));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* pointer);

namespace mote {
namespace {

void allocated(const volatile void*, std::size_t bytes) {
  count_allocation(static_cast<std::ptrdiff_t>(bytes));
}

void freed(const volatile void* pointer) {
  count_allocation(-static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(pointer)));
}

[[maybe_unused]] const int kInstalled = __sanitizer_install_malloc_and_free_hooks(allocated, freed);

}  // namespace
}  // namespace mote
