#pragma once

namespace mote {

/// Whether the process has no sanitizer, which takes memory of its own. Only then are memory sizes
/// and limits meaningful.
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
