#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "core/error.h"

namespace mote {

/// Bytes in memory, which are written first and then read.
class MemoryBytes : public ByteSink, public ByteSource {
 public:
  /// Makes room for `count` bytes in all, so that writing does not move them.
  void reserve(std::size_t count) { bytes.reserve(count); }
  void write(std::span<const std::byte> more) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  void read(std::span<std::byte> out) override {
    if (out.size() > left()) throw Error("too short", "memory", "give more");
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at_), out.size(), out.begin());
    at_ += out.size();
  }
  std::size_t left() const override { return bytes.size() - at_; }

  std::vector<std::byte> bytes;

 private:
  std::size_t at_ = 0;
};

}  // namespace mote
