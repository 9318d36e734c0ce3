#pragma once

// The shared memory of the block that runs.

#include <cstddef>

namespace cuda_host {

/// For the block that starts: `dynamic_bytes` with every bit set, and nothing else in use.
void start_block_memory(std::size_t dynamic_bytes, std::size_t limit_bytes);

/// What a launch may use without asking for more.
inline constexpr std::size_t kStaticShared_bytes = 48 * 1024;

}  // namespace cuda_host
