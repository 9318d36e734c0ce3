#pragma once

// Device limits that launches are checked against.

#include <cstddef>

namespace cuda_host {

/// Maximum for a block if the kernel's attribute requests it.
std::size_t shared_per_block_optin_bytes();
int threads_per_multiprocessor();

}  // namespace cuda_host
