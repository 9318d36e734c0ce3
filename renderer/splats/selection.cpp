#include "splats/selection.h"

#include <cmath>

#include "math/activations.h"

namespace mote {
namespace {

bool contains(const Box& box, const SplatCloud& cloud, std::size_t splat) {
  const double x = cloud.at(splat, Field::mean_x), y = cloud.at(splat, Field::mean_y),
               z = cloud.at(splat, Field::mean_z);
  return x >= box.low.x && x <= box.high.x && y >= box.low.y && y <= box.high.y && z >= box.low.z &&
         z <= box.high.z;
}

}  // namespace

bool is_valid(const SplatCloud& cloud, std::size_t splat) {
  for (const Field field : cloud.info().stored()) {
    const float value = cloud.at(splat, field);
    const bool opacity = field == Field::logit_opacity;
    if (opacity ? std::isnan(value) : !std::isfinite(value)) return false;
  }
  for (int k = 0; k < cloud.sh_coefficients(); ++k) {
    for (int c = 0; c < 3; ++c) {
      if (!std::isfinite(cloud.sh(splat, k, c))) return false;
    }
  }
  return cloud.at(splat, Field::rotation_w) != 0 || cloud.at(splat, Field::rotation_x) != 0 ||
         cloud.at(splat, Field::rotation_y) != 0 || cloud.at(splat, Field::rotation_z) != 0;
}

SelectionCounts select(SplatCloud& cloud, const Selection& selection) {
  const double min_logit = logit(selection.min_opacity);
  SelectionCounts counts;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (selection.drop_invalid && !is_valid(cloud, i)) {
      ++counts.invalid;
    } else if (selection.crop && !contains(*selection.crop, cloud, i)) {
      ++counts.outside;
    } else if (selection.min_opacity > 0 && !(cloud.at(i, Field::logit_opacity) >= min_logit)) {
      ++counts.faint;
    } else {
      if (counts.kept != i) cloud.copy_splat(i, counts.kept);
      ++counts.kept;
    }
  }
  cloud.truncate(counts.kept);
  return counts;
}

}  // namespace mote
