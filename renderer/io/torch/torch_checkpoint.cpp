#include "io/torch/torch_checkpoint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/printable.h"
#include "math/half.h"

namespace mote {
namespace {

constexpr std::string_view kPickleName = "/data.pkl";
/// The first bytes of torch.save before version 1.6: a pickle of its mark.
constexpr std::string_view kOldStart =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e";
constexpr const char* kCheckpointRemedy = "copy the checkpoint again, or save it again";

std::string_view letters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The folder of the pickle.
std::string archive_folder(const InputFile& file, const std::map<std::string, ZipEntry>& entries) {
  for (const auto& [name, entry] : entries) {
    if (name.ends_with(kPickleName)) return name.substr(0, name.size() - kPickleName.size() + 1);
  }
  throw Error("contains no data.pkl that is stored without compression", file.name(),
              kCheckpointRemedy);
}

std::map<std::string, ZipEntry> entries_of(const InputFile& file) {
  std::vector<std::byte> head(kOldStart.size());
  head.resize(file.read_some(0, head));
  if (letters_of(head) == kOldStart) {
    throw Error("is a checkpoint of a PyTorch before version 1.6", file.name(),
                "load it and save it with a later version");
  }
  return stored_zip_entries(file);
}

Pickle read_pickle(const InputFile& file, const std::map<std::string, ZipEntry>& entries,
                   const std::string& folder) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;
  const auto order = entries.find(folder + "byteorder");
  if (order != entries.end()) {
    std::vector<std::byte> text(std::min<std::uint64_t>(order->second.bytes, 16));
    file.read_exact(order->second.offset, text);
    if (letters_of(text) != "little") {
      throw Error("has numbers of another byte order than little", file.name(),
                  "save it on a machine of that order");
    }
  }
  const ZipEntry& entry = entries.at(folder + std::string(kPickleName.substr(1)));
  if (entry.bytes > kMostBytes) {
    throw Error("its data.pkl has " + std::to_string(entry.bytes) + " bytes", file.name(),
                "save the tensors alone");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes));
  file.read_exact(entry.offset, bytes);
  return Pickle(bytes, file.name() + ", data.pkl");
}

template <class T>
T stored_value(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float number_at(TorchType type, const std::byte* at) {
  switch (type) {
    case TorchType::float16:
      return from_half(stored_value<std::uint16_t>(at));
    case TorchType::bfloat16:
      return std::bit_cast<float>(std::uint32_t{stored_value<std::uint16_t>(at)} << 16);
    case TorchType::float32:
      return stored_value<float>(at);
    case TorchType::float64:
      return static_cast<float>(stored_value<double>(at));
    case TorchType::int8:
      return stored_value<std::int8_t>(at);
    case TorchType::uint8:
    case TorchType::boolean:
      return stored_value<std::uint8_t>(at);
    case TorchType::int16:
      return stored_value<std::int16_t>(at);
    case TorchType::int32:
      return static_cast<float>(stored_value<std::int32_t>(at));
    case TorchType::int64:
      break;
  }
  return static_cast<float>(stored_value<std::int64_t>(at));
}

/// The place after the last number of a tensor in its storage; more than `most` if it is beyond.
std::uint64_t end_of(const TorchTensor& tensor, std::uint64_t most) {
  if (tensor.count() == 0) return 0;
  std::uint64_t last = tensor.offset;
  for (std::size_t k = 0; k < tensor.shape.size() && last < most; ++k) {
    const std::uint64_t steps = tensor.shape[k] - 1;
    if (tensor.stride[k] > 0 && steps > most / tensor.stride[k]) return most + 1;
    last += steps * tensor.stride[k];
  }
  return last < most ? last + 1 : most + 1;
}

/// The places of the numbers of a tensor in its storage, in order.
class NumberWalk {
 public:
  explicit NumberWalk(const TorchTensor& tensor)
      : tensor_(tensor), index_(tensor.shape.size()), place_(tensor.offset) {}

  std::uint64_t place() const { return place_; }
  void next() {
    for (std::size_t k = index_.size(); k > 0; --k) {
      place_ += tensor_.stride[k - 1];
      if (++index_[k - 1] < tensor_.shape[k - 1]) return;
      place_ -= index_[k - 1] * tensor_.stride[k - 1];
      index_[k - 1] = 0;
    }
  }

 private:
  const TorchTensor& tensor_;
  std::vector<std::uint64_t> index_;
  std::uint64_t place_;
};

}  // namespace

bool starts_as_checkpoint(std::span<const std::byte> head) {
  const std::string_view text = letters_of(head);
  if (text.starts_with(kOldStart)) return true;
  return text.starts_with("PK\x03\x04") && text.find(kPickleName) != text.npos;
}

TorchCheckpoint::TorchCheckpoint(const InputFile& file)
    : file_(file),
      entries_(entries_of(file)),
      folder_(archive_folder(file, entries_)),
      pickle_(read_pickle(file, entries_, folder_)) {}

const TorchTensor& TorchCheckpoint::tensor(const PickleValue* value,
                                           const std::string& what) const {
  if (value == nullptr || value->kind != PickleValue::Kind::tensor) {
    throw Error("has no tensor " + what, file_.name(), kCheckpointRemedy);
  }
  return value->tensor;
}

const std::vector<std::uint64_t>& TorchCheckpoint::shape(const PickleValue* value,
                                                         const std::string& what) const {
  return tensor(value, what).shape;
}

std::vector<float> TorchCheckpoint::numbers(const PickleValue* value, const std::string& what,
                                            std::uint64_t rows, std::uint64_t row) const {
  const TorchTensor& from = tensor(value, what);
  const std::uint64_t count = from.count();
  const bool fits = !from.shape.empty() && (rows == 0 || from.shape[0] == rows);
  if (!fits || from.shape[0] > count || count / std::max<std::uint64_t>(from.shape[0], 1) != row) {
    throw Error("its tensor " + what + " has the wrong shape", file_.name(), kCheckpointRemedy);
  }
  const auto entry = entries_.find(folder_ + "data/" + from.key);
  const std::uint64_t bytes = entry == entries_.end() ? 0 : entry->second.bytes;
  const std::uint64_t stored = bytes / size_of(from.type);
  if (entry == entries_.end() || stored != from.storage_count) {
    throw Error("the storage '" + printable(from.key) + "' of its tensor " + what +
                    " is missing or " + "has another size than its pickle says",
                file_.name(), kCheckpointRemedy);
  }
  // A tensor that repeats numbers of its storage is none of a checkpoint.
  if (end_of(from, stored) > stored || count > stored) {
    throw Error("its tensor " + what + " lies beyond the storage '" + printable(from.key) +
                    "' of " + std::to_string(bytes) + " bytes",
                file_.name(), kCheckpointRemedy);
  }
  std::vector<std::byte> storage(static_cast<std::size_t>(bytes));
  file_.read_exact(entry->second.offset, storage);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  NumberWalk walk(from);
  for (float& number : numbers) {
    number = number_at(from.type, storage.data() + walk.place() * size_of(from.type));
    walk.next();
  }
  return numbers;
}

}  // namespace mote
