#pragma once

// The values of a deformation field at single places, and the clouds that it moves.

#include <cstddef>
#include <memory>
#include <vector>

#include "fields/encodings/hexplane.h"
#include "splats/deformation.h"

namespace mote {

/// The outputs of a field at single places: float to draw, double as the reference of tests. Copies
/// share the matrices, so that each thread can have its own.
template <class T>
class DeformationValues {
 public:
  /// `parameters`: of the field, [layout.parameters]. Both must outlive this and its copies.
  DeformationValues(const DeformationLayout& layout, const T* parameters);

  /// The outputs at a place in the box and a time in durations, 0 to 1.
  const T* at(const T (&x)[kHexAxes]);

  struct Rates {
    const T *outputs, *rates;
  };
  /// The same with the derivatives of the outputs by the time in durations.
  Rates with_rates(const T (&x)[kHexAxes]);

 private:
  template <bool WITH_RATES>
  void evaluate(const T (&x)[kHexAxes]);
  template <bool WITH_RATES>
  void evaluate_layer(const MlpLayer& layer);

  const DeformationLayout* layout_;
  const T* planes_;
  // Transposed, [inputs][outputs], so that outputs are computed together.
  std::shared_ptr<const std::vector<T>> matrices_;
  std::vector<T> values_, next_, rates_, next_rates_;
};

}  // namespace mote
