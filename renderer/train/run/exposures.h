#pragma once

#include <span>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/byte_stream.h"
#include "core/image.h"
#include "train/run/small_adam.h"

namespace mote {

/// Changes the colours of every pixel; what is beyond 0..1 stays so.
void apply_exposure(const Exposure& exposure, Image& rgb);

/// One exposure a photograph, learned by Adam. Brightness could drift between the splats and all
/// exposures together, so the mean over the photographs is kept neutral: after each step what it is
/// off is taken from all alike. A view without an exposure of its own is then seen by the mean one.
class Exposures {
 public:
  explicit Exposures(std::size_t photographs);

  Exposure at(std::size_t photograph) const;
  /// Learns from one step on `photograph`.
  void update(std::size_t photograph, const Exposure& d_exposure, double learning_rate);

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  using Values = std::array<double, 12>;
  std::vector<Values> values_;
  std::vector<SmallAdam> adam_;
};

}  // namespace mote
