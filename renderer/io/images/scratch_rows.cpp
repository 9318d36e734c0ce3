#include "io/images/scratch_rows.h"

#include <algorithm>

#include "core/error.h"

namespace mote {

ScratchRows::ScratchRows(std::size_t row_bytes, std::size_t rows, std::uint64_t memory_bytes)
    : row_bytes_(row_bytes), rows_(rows) {
  const std::uint64_t bytes = std::uint64_t{row_bytes} * rows;
  if (bytes <= memory_bytes) {
    held_.resize_discard(bytes);
  } else {
    file_.emplace(bytes);
  }
}

/// Rows are set to 0 when they are reached, so that a damaged file that names many pixels does not
/// touch memory for them.
std::byte* ScratchRows::open_in_memory(std::size_t first, std::size_t count) {
  const std::size_t end = first + count;
  if (end > cleared_) {
    std::fill(held_.data() + cleared_ * row_bytes_, held_.data() + end * row_bytes_, std::byte{0});
    cleared_ = end;
  }
  return held_.data() + first * row_bytes_;
}

std::byte* ScratchRows::open(std::size_t first, std::size_t count, bool changes) {
  CHECK(count <= rows_ && first <= rows_ - count);
  if (is_in_memory()) return open_in_memory(first, count);
  if (first != first_ || count != count_) {
    if (changed_) file_->write(std::uint64_t{first_} * row_bytes_, held_.span());
    changed_ = false;
    count_ = 0;  // until the new rows are read
    held_.resize_discard(count * row_bytes_);
    file_->read(std::uint64_t{first} * row_bytes_, held_.span());
    first_ = first;
    count_ = count;
  }
  changed_ = changed_ || changes;
  return held_.data();
}

}  // namespace mote
