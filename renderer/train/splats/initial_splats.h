#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scene/dataset.h"
#include "scene/scene_layout.h"
#include "splats/splat_cloud.h"
#include "train/splats/train_options.h"

namespace mote {

/// How the first splats of a strategy look; options may say otherwise.
struct InitialStyle {
  double opacity = 0.1, scale = 1;  // scale in distances to the neighbours
};

/// What is to be said of the first splats; a phrase each.
struct InitialRemarks {
  std::vector<std::string> notes, warnings;
};

struct InitialSplats {
  SplatCloud cloud;
  InitialRemarks remarks;
};

/// The splats that training begins with, as `options.init` says:
/// - "points": one at each point of the dataset, as large as its neighbours are far, in its colour.
///   Points that are not finite or absurdly far are left out, none is larger than a tenth of the
///   cameras' distance from the focus, or of its own if that is more; where fewer than
///   kFewestPoints are left, random splats take their place and a warning says so.
/// - "random": three quarters of them even in a box about the focus of the cameras whose half side
///   is half their distance to it; the others, for backgrounds, from there outwards to ten
///   distances, evenly in the logarithm; grey, and each where a training camera sees it.
/// - a scene file: its splats as they are, with harmonics of degree `options.sh_degree`.
/// No more than splat_limit(), or target_splats where given, picked at random. A file with more
/// than max_splats or target_splats, where given, is an Error. Throws Error for a file that cannot
/// be read.
InitialSplats make_initial_splats(const Dataset& dataset, const SceneLayout& layout,
                                  const TrainOptions& options, const InitialStyle& style,
                                  std::uint64_t seed);

inline constexpr std::size_t kFewestPoints = 10;

}  // namespace mote
