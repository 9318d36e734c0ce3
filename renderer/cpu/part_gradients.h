#pragma once

// Gradients of a network's weights, summed in parts that do not depend on the number of threads.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/for_each_part.h"

namespace mote {

class PartGradients {
 public:
  /// Calls work(sums, from, to) for parts of the samples [0, end), and adds their sums of `weights`
  /// floats to `total`.
  template <class Work>
  void add(ThreadPool& pool, std::size_t end, std::size_t weights, float* total, const Work& work);

  std::size_t memory_bytes() const { return parts_.size() * sizeof(float); }

 private:
  Buffer<float> parts_;  // [parts][weights]
};

template <class Work>
void PartGradients::add(ThreadPool& pool, std::size_t end, std::size_t weights, float* total,
                        const Work& work) {
  // Fewer parts for large networks, so that their sums take at most about 128 MB.
  constexpr std::size_t kMostParts = 32, kMostFloats = std::size_t{1} << 25, kWholeTiles = 48;
  const std::size_t wanted = std::clamp<std::size_t>(kMostFloats / weights, 4, kMostParts);
  const std::size_t size = (end / wanted + kWholeTiles) / kWholeTiles * kWholeTiles;
  const std::size_t parts = (end + size - 1) / size;
  parts_.resize_discard(parts * weights);
  for_each_part(pool, 0, end, size, [&](std::size_t from, std::size_t to) {
    float* own = parts_.data() + from / size * weights;
    std::memset(own, 0, weights * sizeof(float));
    work(own, from, to);
  });
  for_each_part(pool, 0, weights, 1024, [&](std::size_t from, std::size_t to) {
    for (std::size_t part = 0; part < parts; ++part) {
      for (std::size_t i = from; i < to; ++i) total[i] += parts_[part * weights + i];
    }
  });
}

}  // namespace mote
