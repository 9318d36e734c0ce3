#pragma once

#include <cstddef>

namespace cuda_host {

void free_all_memory();

/// Takes memory that is already there into the account, to be freed by cudaFree().
void note_allocation(void* address, std::size_t bytes);

/// Whether the host's bytes are pinned, so that copies can be put off.
bool is_pinned(const void* address, std::size_t bytes);

}  // namespace cuda_host
