#pragma once

#include <cstdint>
#include <span>

#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/for_each_part.h"
#include "math/half.h"

namespace mote {

/// The parameters of a field's grid. Kernels read whole words of two halves.
inline Buffer<std::uint16_t> halves_of(std::span<const float> parameters, ThreadPool& pool) {
  Buffer<std::uint16_t> halves(parameters.size() + 1);
  halves[parameters.size()] = 0;
  for_each_part(pool, 0, parameters.size(), std::size_t{1} << 16,
                [&](std::size_t from, std::size_t to) {
                  for (std::size_t i = from; i < to; ++i) halves[i] = to_half(parameters[i]);
                });
  return halves;
}

}  // namespace mote
