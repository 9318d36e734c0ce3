#pragma once

// The facts about the first splats that a run needs until its end. A checkpoint contains them, so
// that a resumed run does not make the first splats again.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/byte_stream.h"
#include "splats/deformation_config.h"
#include "splats/density/relocation_edit.h"
#include "splats/splat_cloud.h"
#include "train/splats/train_options.h"

namespace mote {

/// The sizes of the field that moves splats, and its box in world units.
struct FieldShape {
  DeformationConfig config;
  std::array<float, 3> low{}, high{};
};

struct FirstSplats {
  std::uint64_t count = 0;
  std::uint64_t always = 0;  // those of them that live always
  double sigma_s = 0;        // of the lives of the others without a bound, see usual_sigma_s()
  SceneTimes times = {};     // of their cloud
  std::optional<FieldShape> field = {};

  /// The bounds of lives in training, see life_bounds(). A start from a file of splats has none.
  LifeBounds bounds(const TrainOptions& options, double duration_s) const;

  void save(ByteSink& sink) const;
  static FirstSplats restored(ByteSource& source);
};

/// The field of the cloud, if it has one.
std::optional<FieldShape> field_shape(const SplatCloud& cloud);

/// A splat in the form of those of a cloud, with their field. It makes a trainer whose state is
/// replaced.
SplatCloud placeholder_like(const SplatCloud& cloud);
/// A splat in place of the first ones of a run, with a field of zeros if they had one.
SplatCloud placeholder_of(const FirstSplats& first, const TrainOptions& options);

}  // namespace mote
