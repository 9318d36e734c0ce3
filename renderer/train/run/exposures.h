#pragma once

#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "core/image.h"
#include "math/exposure.h"
#include "train/run/small_adam.h"

namespace mote {

/// Applies the exposure to every pixel. Values outside 0..1 are kept.
void apply_exposure(const Exposure& exposure, Image& rgb);

/// One exposure per photograph, or per camera, learned by Adam. Without a constraint, all exposures
/// could become brighter while the model becomes darker. The mean exposure is therefore kept
/// neutral: each step ends by subtracting its deviation from all exposures. A view without an
/// exposure uses the mean.
class Exposures {
 public:
  explicit Exposures(std::size_t photographs);

  Exposure at(std::size_t photograph) const;
  /// Updates the exposure after one step on `photograph`. `penalty`: factor on the sum of the
  /// squares of its deviations from the neutral one, which is added to the loss.
  void update(std::size_t photograph, const Exposure& d_exposure, double learning_rate,
              double penalty = 0);

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  using Values = std::array<double, 12>;
  std::vector<Values> values_;
  std::vector<SmallAdam> adam_;
};

}  // namespace mote
