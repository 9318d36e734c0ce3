#include "splats/moved_splats.h"

#include "core/error.h"
#include "splats/transform.h"

namespace mote {

std::size_t MovedSplats::memory_bytes() const {
  return splats_.words().size_bytes() + before_.memory_bytes();
}

void MovedSplats::write(const SplatCloud& values, SplatCloud& cloud) const {
  const std::vector<std::uint32_t> splats = splats_.indices();
  for (std::size_t i = 0; i < splats.size(); ++i) copy_splat(values, i, cloud, splats[i]);
}

void MovedSplats::apply(SplatCloud& cloud) const {
  SplatCloud moved = with_sh_degree(before_, before_.sh_degree());
  transform(moved, change_);
  write(moved, cloud);
}

void MoveLog::add(const SplatMask& splats) {
  ++number_;
  if (!moves_.empty() && moves_.back().splats == splats) {
    moves_.back().last = number_;  // the steps of one gesture
    return;
  }
  if (moves_.size() == kMost) {
    known_from_ = moves_.front().last;
    moves_.pop_front();
  }
  moves_.push_back({number_, splats});
}

std::optional<SplatMask> MoveLog::since(std::uint64_t number, std::size_t size) const {
  if (number < known_from_) return {};
  SplatMask all(size);
  for (const Move& move : moves_) {
    if (move.last > number) all.combine(move.splats, MaskOperation::add);
  }
  return all;
}

}  // namespace mote
