#pragma once

#include <cstddef>

namespace cuda_host {

void free_all_memory();

/// Whether the host's bytes are pinned, so that copies can be put off.
bool is_pinned(const void* address, std::size_t bytes);

}  // namespace cuda_host
