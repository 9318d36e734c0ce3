#pragma once

namespace mote {

/// Whether a program takes memory of its own only, not a sanitizer's besides: figures of memory and
/// limits on it mean something then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kOwnMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kOwnMemory = false;
#else
inline constexpr bool kOwnMemory = true;
#endif
#else
inline constexpr bool kOwnMemory = true;
#endif

}  // namespace mote
