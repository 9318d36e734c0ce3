#include "io/torch/torch_tensor.h"

#include <limits>

namespace mote {
namespace {

struct StorageName {
  std::string_view name;
  TorchType type;
};
constexpr StorageName kStorages[] = {
    {"torch HalfStorage", TorchType::float16},  {"torch BFloat16Storage", TorchType::bfloat16},
    {"torch FloatStorage", TorchType::float32}, {"torch DoubleStorage", TorchType::float64},
    {"torch CharStorage", TorchType::int8},     {"torch ByteStorage", TorchType::uint8},
    {"torch ShortStorage", TorchType::int16},   {"torch IntStorage", TorchType::int32},
    {"torch LongStorage", TorchType::int64},    {"torch BoolStorage", TorchType::boolean}};

}  // namespace

std::optional<TorchType> torch_storage_type(std::string_view name) {
  for (const StorageName& storage : kStorages) {
    if (storage.name == name) return storage.type;
  }
  return {};
}

std::size_t size_of(TorchType type) {
  switch (type) {
    case TorchType::float64:
    case TorchType::int64:
      return 8;
    case TorchType::float32:
    case TorchType::int32:
      return 4;
    case TorchType::float16:
    case TorchType::bfloat16:
    case TorchType::int16:
      return 2;
    case TorchType::int8:
    case TorchType::uint8:
    case TorchType::boolean:
      break;
  }
  return 1;
}

std::uint64_t TorchTensor::count() const {
  std::uint64_t numbers = 1;
  for (const std::uint64_t side : shape) {
    if (side != 0 && numbers > std::numeric_limits<std::uint64_t>::max() / side) {
      return std::numeric_limits<std::uint64_t>::max();
    }
    numbers *= side;
  }
  return numbers;
}

}  // namespace mote
