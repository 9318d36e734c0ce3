#include "io/fields/snapshot_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/machine.h"
#include "io/json_object.h"
#include "math/half.h"

namespace mote {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;  // of one read call

}  // namespace

bool is_compressed(std::span<const std::byte> head) {
  const unsigned first = byte_at(head, 0), second = byte_at(head, 1);
  const bool zlib = (first & 0x0f) == 8 && first >> 4 <= 7 && (first << 8 | second) % 31 == 0;
  return zlib || (first == 0x1f && second == 0x8b);
}

SnapshotContent::SnapshotContent(const InputFile& file) : file_(file) {
  std::array<std::byte, 2> head{};
  file.read_some(0, head);
  compressed_ = is_compressed(head);
}

PackedBinary binary_of(const MessagePack& pack, const std::string& key, std::uint64_t bytes,
                       const std::string& name) {
  const std::string where = name + ", snapshot, " + key;
  const auto found = pack.binaries.find("snapshot/" + key);
  if (found == pack.binaries.end()) {
    const nlohmann::json::json_pointer place("/snapshot/" + key);
    throw Error(pack.top.contains(place)
                    ? "expected a binary value, found " + quoted(pack.top.at(place))
                    : "is missing",
                where, "copy or download the file again");
  }
  if (found->second.size != bytes) {
    throw Error(fmt::format("expected {} bytes, found {}", bytes, found->second.size), where,
                "write the snapshot again, with the configuration of these parameters");
  }
  return found->second;
}

template <class T>
std::vector<T> allocated_values(std::size_t count, const std::string& name) {
  const std::uint64_t bytes = std::uint64_t{count} * sizeof(T);
  try {
    if (bytes > this_machine().memory_bytes) throw std::bad_alloc();
    return std::vector<T>(count);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("needs {} of memory for {} values, more than this machine has",
                            bytes_text(bytes), count),
                name, "open it on a larger machine");
  }
}
template std::vector<float> allocated_values<float>(std::size_t, const std::string&);
template std::vector<std::uint32_t> allocated_values<std::uint32_t>(std::size_t,
                                                                    const std::string&);

SnapshotArrays::SnapshotArrays(const SnapshotContent& content, std::uint64_t size,
                               const std::function<void(double)>& progress)
    : content_(content.open()), size_(size), progress_(progress), piece_(kBytesAtOnce) {}

void SnapshotArrays::skip_to(const PackedBinary& place) {
  while (offset_ < place.offset) take(place.offset - offset_);
}

void SnapshotArrays::read(const PackedBinary& place, bool half, std::span<float> out) {
  if (!half) return read(place, std::as_writable_bytes(out));
  skip_to(place);
  constexpr std::size_t kWidth = sizeof(std::uint16_t);
  while (!out.empty()) {
    const std::span<const std::byte> bytes = take(out.size() * kWidth);
    const std::size_t count = bytes.size() / kWidth;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint16_t value = 0;
      std::memcpy(&value, bytes.data() + i * kWidth, kWidth);
      out[i] = from_half(value);
    }
    out = out.subspan(count);
  }
}

void SnapshotArrays::read(const PackedBinary& place, std::span<std::byte> out) {
  skip_to(place);
  while (!out.empty()) {
    const std::span<const std::byte> bytes = take(out.size());
    std::memcpy(out.data(), bytes.data(), bytes.size());
    out = out.subspan(bytes.size());
  }
}

/// At most `most` of the next bytes.
std::span<const std::byte> SnapshotArrays::take(std::uint64_t most) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, piece_.size()));
  const std::span<std::byte> bytes = std::span(piece_).first(count);
  content_->read_exact(bytes);
  offset_ += count;
  if (progress_) progress_(0.5 + 0.5 * static_cast<double>(offset_) / static_cast<double>(size_));
  return bytes;
}

void refuse_numbers(std::ptrdiff_t count, std::size_t total, const std::string& name,
                    const std::string& key) {
  throw Error(fmt::format("{} of {} values are not finite", count, total),
              fmt::format("{}, snapshot, {}", name, key),
              "use a snapshot from before the training diverged");
}

void check_finite(std::span<const float> values, const std::string& name, const std::string& key) {
  const auto bad = std::ranges::count_if(values, [](float v) { return !std::isfinite(v); });
  if (bad > 0) refuse_numbers(bad, values.size(), name, key);
}

}  // namespace mote
