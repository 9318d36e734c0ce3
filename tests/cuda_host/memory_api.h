#pragma once

#include <cstddef>

namespace cuda_host {

void free_all_memory();

/// Registers existing memory, to be freed by cudaFree().
void note_allocation(void* address, std::size_t bytes);

/// Whether the host's bytes are pinned, so that copies can be delayed.
bool is_pinned(const void* address, std::size_t bytes);

}  // namespace cuda_host
