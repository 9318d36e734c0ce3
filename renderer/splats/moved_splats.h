#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "scene/similarity.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// Splats that a similarity moves within their cloud; part of an undo step. It keeps their former
/// values, so that a long gesture adds up no rounding errors and undo() is exact.
class MovedSplats {
 public:
  MovedSplats() = default;
  /// Keeps the values of the masked splats of `cloud`.
  MovedSplats(const SplatCloud& cloud, const SplatMask& splats)
      : splats_(splats), before_(reordered(cloud, splats.indices())) {}

  bool empty() const { return before_.count() == 0; }
  const SplatMask& splats() const { return splats_; }
  /// Heap memory in bytes.
  std::size_t memory_bytes() const;

  /// Replaces the change: of the splats' former values, in the frame of the cloud.
  void set_change(const Similarity& change) { change_ = change; }
  /// Writes the moved values, or the former ones, into the cloud.
  void apply(SplatCloud& cloud) const;
  void undo(SplatCloud& cloud) const { write(before_, cloud); }

 private:
  void write(const SplatCloud& values, SplatCloud& cloud) const;

  SplatMask splats_;
  SplatCloud before_;
  Similarity change_;
};

/// The splats that were moved lately, for devices that hold an older state of the cloud.
class MoveLog {
 public:
  static constexpr std::size_t kMost = 8;

  void add(const SplatMask& splats);
  /// Number of moves so far.
  std::uint64_t number() const { return number_; }
  /// The splats that were moved after that move; empty if that is no longer known. `size`: of the
  /// cloud.
  std::optional<SplatMask> since(std::uint64_t number, std::size_t size) const;
  /// Forgets the splats, since the cloud has others now.
  void forget() {
    moves_.clear();
    known_from_ = number_;
  }

 private:
  struct Move {
    std::uint64_t last;  // number of the last move of these splats
    SplatMask splats;
  };
  std::deque<Move> moves_;
  std::uint64_t number_ = 0, known_from_ = 0;
};

}  // namespace mote
