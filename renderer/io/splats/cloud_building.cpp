#include "io/splats/cloud_building.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>

#include "core/error.h"
#include "core/parallel.h"

namespace mote {
namespace {

std::uint64_t physical_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

/// 1 in each lane with a value that is not finite; x - x is 0 only for finite x.
std::size_t count_non_finite(const SplatCloud& cloud, std::size_t block) {
  float sum[kBlockSize] = {};
  const float* geometry = cloud.geometry_block(block);
  const auto opacity = static_cast<std::size_t>(cloud.info().plane(Field::logit_opacity));
  for (std::size_t f = 0; f < static_cast<std::size_t>(cloud.info().field_count); ++f) {
    if (f == opacity) continue;
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      sum[i] += geometry[f * kBlockSize + i] - geometry[f * kBlockSize + i];
    }
  }
  const float* sh = cloud.sh_block(block);
  const std::size_t sh_values = static_cast<std::size_t>(cloud.sh_coefficients()) * 3;
  for (std::size_t k = 0; k < sh_values; ++k) {
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      sum[i] += sh[k * kBlockSize + i] - sh[k * kBlockSize + i];
    }
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    count += sum[i] != 0 || std::isnan(geometry[opacity * kBlockSize + i]);
  }
  return count;
}

}  // namespace

SplatCloud make_cloud(std::uint64_t count, const SplatForm& form, const std::string& name) {
  if (count == 0) {
    throw Error("contains no splats", name, "export the scene again");
  }
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("claims " + std::to_string(count) + " splats, more than the 4294967295 possible",
                name, "copy or download the file again");
  }
  const std::uint64_t floats = form.floats();
  const std::uint64_t bytes = count * floats * sizeof(float);
  try {
    if (bytes > physical_memory_bytes()) throw std::bad_alloc();
    return SplatCloud(static_cast<std::size_t>(count), form);
  } catch (const std::bad_alloc&) {
    throw Error("needs " + std::to_string(bytes >> 20) + " MiB of memory for " +
                    std::to_string(count) + " splats, more than this machine has",
                name, "split the scene, or load it on a larger machine");
  }
}

void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  constexpr std::size_t kPiece = 64;
  run_tasks((count + kPiece - 1) / kPiece, [&](std::size_t piece, int) {
    work(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

void warn_of_non_finite(SplatCloud& cloud) {
  std::atomic<std::size_t> count{0};
  in_parallel(cloud.block_count(), [&](std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t b = begin; b < end; ++b) sum += count_non_finite(cloud, b);
    count += sum;
  });
  if (count == 0) return;
  cloud.warnings.push_back(std::to_string(count.load()) + " of " + std::to_string(cloud.count()) +
                           " splats contain values that are not finite");
}

}  // namespace mote
