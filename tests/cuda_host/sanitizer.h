#pragma once

// Tells the address sanitizer, if there is one, about inaccessible memory and stack switches.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define MOTE_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOTE_HAS_ASAN 1
#endif
#endif

#if defined(MOTE_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_host {

#if defined(MOTE_HAS_ASAN)

inline void poison(const void* start, std::size_t bytes) {
  __asan_poison_memory_region(start, bytes);
}
inline void unpoison(const void* start, std::size_t bytes) {
  __asan_unpoison_memory_region(start, bytes);
}
/// Called before a switch; `kept` belongs to the old stack.
inline void leave_stack(void** kept, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(kept, bottom, bytes);
}
/// Called after a switch. `kept` is the value stored when this stack was left; null on its first
/// run. Returns the bounds of the old stack.
inline void enter_stack(void* kept, const void** bottom, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(kept, bottom, bytes);
}

#else

inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
inline void leave_stack(void**, const void*, std::size_t) {}
inline void enter_stack(void*, const void**, std::size_t*) {}

#endif

}  // namespace cuda_host
