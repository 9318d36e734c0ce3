#pragma once

// Shared memory of the running block, at its place among the blocks in flight (block_place).

#include <cstddef>

namespace cuda_host {

/// Prepares the memory for a new block: `dynamic_bytes` with every bit set, and nothing else in
/// use.
void start_block_memory(std::size_t dynamic_bytes, std::size_t limit_bytes);

/// Whether the address is in shared memory of any block.
bool is_shared_memory(const void* address);

/// Limit for a launch that does not request more.
inline constexpr std::size_t kStaticShared_bytes = 48 * 1024;

}  // namespace cuda_host
