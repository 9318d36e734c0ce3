#include "cuda/splat_marks.h"

#include "core/error.h"
#include "cuda/kernels/density.h"

namespace mote::cuda {

const std::uint8_t* SplatMarks::of(std::size_t count, std::span<const std::uint32_t> numbers,
                                   cudaStream_t stream) {
  if (numbers.empty()) return nullptr;
  for (const std::uint32_t number : numbers) CHECK(number < count);
  marks_.resize_discard(count);
  marks_.fill_bytes(0, stream);
  numbers_.resize_discard(numbers.size());
  numbers_.upload(numbers, stream);
  run_mark(numbers_.data(), static_cast<unsigned>(numbers.size()), marks_.data(), stream);
  return marks_.data();
}

}  // namespace mote::cuda
