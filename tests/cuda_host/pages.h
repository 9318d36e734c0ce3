#pragma once

#include <cstddef>

namespace cuda_host {

inline constexpr std::size_t kPage = 4096;  // bytes

}  // namespace cuda_host
