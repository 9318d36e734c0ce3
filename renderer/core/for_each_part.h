#pragma once

#include <cstddef>

#include "core/parallel.h"

namespace mote {

/// Calls work(begin, end) for parts of [begin, end) that begin at multiples of 16 after `begin`, if
/// `size` is a multiple of 16.
template <class Work>
void for_each_part(ThreadPool& pool, std::size_t begin, std::size_t end, std::size_t size,
                   const Work& work) {
  if (begin >= end) return;
  pool.run((end - begin + size - 1) / size, [&](std::size_t part, int) {
    const std::size_t first = begin + part * size;
    work(first, first + size < end ? first + size : end);
  });
}

}  // namespace mote
