#pragma once

// Limits of the machine's devices that launches are held to.

#include <cstddef>

namespace cuda_host {

/// What a block can have if the kernel's attribute asks for it.
std::size_t shared_per_block_optin_bytes();
int threads_per_multiprocessor();

}  // namespace cuda_host
