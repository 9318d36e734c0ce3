#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mote {

/// The type of the numbers of a tensor.
enum class TorchType : std::uint8_t {
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  uint8,
  int16,
  int32,
  int64,
  boolean
};

std::size_t size_of(TorchType type);

/// A tensor, whose numbers are in the storage with the key: the number with the indices i is number
/// offset + sum of i[k] stride[k] of it.
struct TorchTensor {
  TorchType type = TorchType::float32;
  std::string key;
  std::uint64_t storage_count = 0;  // numbers in the storage
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> shape, stride;

  /// The product of the sides; the largest number if it has more bits.
  std::uint64_t count() const;
};

/// The type of the storages of a class of PyTorch: "torch FloatStorage".
std::optional<TorchType> torch_storage_type(std::string_view name);

}  // namespace mote
