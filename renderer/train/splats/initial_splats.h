#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/learner.h"
#include "scene/dataset.h"
#include "scene/scene_layout.h"
#include "splats/splat_cloud.h"
#include "train/splats/train_options.h"

namespace mote {

/// The default appearance of a strategy's first splats; options override it.
struct InitialStyle {
  double opacity = 0.1, scale = 1;  // scale relative to the distances between neighbours
};

struct InitialSplats {
  SplatCloud cloud;
  InitialRemarks remarks;
};

/// Makes the first splats of training, by `options.init`:
/// - "points": one at each point of the dataset, with the distance of its neighbours as its size
/// and with its colour. Points that are not finite or extremely far are left out. The size is at
/// most a tenth of the cameras' distance from the focus, or of the point's own distance if that is
/// more. If fewer than kFewestPoints are left, random splats are used and a warning is added.
/// - "random": three quarters are uniform in a box about the focus of the cameras, with half their
/// distance to it as half side. The others, for the background, lie outside it up to ten distances,
/// log-uniformly. All are grey, and each is visible to a training camera.
/// - a scene file: its splats unchanged, with SH of degree `options.sh_degree`.
/// Points and random splats are limited to splat_limit(), or to target_splats where given, and
/// sampled at random. Throws Error for a file with more splats than max_splats or target_splats,
/// where given, and for a file that cannot be read.
InitialSplats make_initial_splats(const Dataset& dataset, const SceneLayout& layout,
                                  const TrainOptions& options, const InitialStyle& style,
                                  std::uint64_t seed);

inline constexpr std::size_t kFewestPoints = 10;

}  // namespace mote
