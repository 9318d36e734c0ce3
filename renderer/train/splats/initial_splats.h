#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/learner.h"
#include "scene/dataset.h"
#include "scene/scene_layout.h"
#include "splats/splat_cloud.h"
#include "train/splats/train_options.h"

namespace mote {

/// The default appearance of a strategy's first splats. Options override it.
struct InitialStyle {
  double opacity = 0.1, scale = 1;  // scale relative to the distances between neighbours
};

struct InitialSplats {
  SplatCloud cloud;
  InitialRemarks remarks;
  std::size_t always = 0;  // splats with lives that live always; not of a scene file
  double sigma_s = 0;      // of the lives of the others without a bound, see usual_sigma_s()
};

/// Makes the first splats of training, by `options.init`:
/// - "points": one splat at each point of the dataset, with the point's colour. Its size is the
/// distance of the point's neighbours, but at most a tenth of the cameras' distance from the focus,
/// or of the point's distance if that is larger. Points that are not finite or extremely far are
/// left out. If fewer than kFewestPoints are left, random splats are used and a warning is added.
/// - "random": three quarters are uniform in a box around the focus of the cameras; half its side
/// is half the cameras' distance from the focus. The others are for the background: they lie
/// outside the box, log-uniformly, up to ten distances. All are grey, and a training camera sees
/// each.
/// - a scene file: its splats, with SH of degree `options.sh_degree`.
/// Splats of which only a part is in memory in training have no harmonics but the constant one; the
/// others are 0.
/// The number of points and random splats is at most splat_limit(), or target_splats if given;
/// points are then sampled at random. At most `init_count` points of several moments get a splat
/// that stands still; if all photographs show one moment, at most as many of those that stand still
/// are added to the points of that moment. Splats that move are as many as target_splats, else as
/// usual_count(), and start as spread_in_time() spreads them; points of one moment alone are taken
/// for points without times. Which points stand still, `photos` tell where cameras are at rest (see
/// seen_seeds()), else the points of other moments. Throws Error if a file has more splats than
/// max_splats or target_splats, if these are given, and if a file cannot be read.
InitialSplats make_initial_splats(const Dataset& dataset, const SceneLayout& layout,
                                  const TrainOptions& options, const InitialStyle& style,
                                  std::uint64_t seed, PhotoStore* photos = nullptr);

inline constexpr std::size_t kFewestPoints = 10;

}  // namespace mote
