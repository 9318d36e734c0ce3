#pragma once

// A layer of Gaussians (fields/networks/gaussian_layer.h) for a tile of samples. Only kernel files
// include this.

#include "cpu/plane_tile.h"
#include "fields/networks/gaussian_layer.h"

namespace mote::MOTE_ISA {

/// The layer's parameters, or places for their gradients.
template <class Float>
struct GaussianTables {
  Float *centers, *sharpness;  // [count][inputs]
};

/// to [count][kPlaneTile] from the features [inputs][kPlaneTile].
inline void evaluate_gaussians(const GaussianLayout& layout,
                               const GaussianTables<const float>& tables, const float* features,
                               float* to) {
  for (std::size_t k = 0; k < layout.count; k += kPlaneRows) {
    const float* centers = tables.centers + k * layout.inputs;
    const float* sharpness = tables.sharpness + k * layout.inputs;
    for (std::size_t s = 0; s < kPlaneTile; s += kPlanePacks * kLanes) {
      SumVector exponents[kPlaneRows][kPlanePacks];
      clear(exponents);
      for (std::size_t i = 0; i < layout.inputs; ++i) {
        const float* own = features + i * kPlaneTile + s;
        unroll<kPlaneRows>([&]<std::size_t R>() {
          const Pack center(centers[R * layout.inputs + i]);
          const Pack sharp(sharpness[R * layout.inputs + i]);
          unroll<kPlanePacks>([&]<std::size_t P>() {
            const Pack part = gaussian_exponent(load(own + P * kLanes), center, sharp);
            exponents[R][P] = (Pack(exponents[R][P]) + part).value;
          });
        });
      }
      unroll<kPlaneRows>([&]<std::size_t R>() {
        unroll<kPlanePacks>([&]<std::size_t P>() {
          store(gaussian(Pack(exponents[R][P])), to + (k + R) * kPlaneTile + s + P * kLanes);
        });
      });
    }
  }
}

/// to [count][kPlaneTile]: the changes of the values, from those of the features.
inline void evaluate_gaussian_rates(const GaussianLayout& layout,
                                    const GaussianTables<const float>& tables,
                                    const float* features, const float* rates, const float* values,
                                    float* to) {
  for (std::size_t k = 0; k < layout.count; ++k) {
    for (std::size_t s = 0; s < kPlaneTile; s += kLanes) {
      Pack sum;
      for (std::size_t i = 0; i < layout.inputs; ++i) {
        const std::size_t own = i * kPlaneTile + s, at = k * layout.inputs + i;
        sum = sum + gaussian_exponent_rate(load(features + own), load(rates + own),
                                           Pack(tables.centers[at]), Pack(tables.sharpness[at]));
      }
      const std::size_t own = k * kPlaneTile + s;
      store(gaussian_rate(load(values + own), sum), to + own);
    }
  }
}

/// Adds the gradients of the parameters, and writes those of the features to `d_features`, from
/// those of the values in `d`, which is overwritten. Without `d_tables`, those of the parameters
/// are left out.
inline void differentiate_gaussians(const GaussianLayout& layout,
                                    const GaussianTables<const float>& tables,
                                    const float* features, const float* values, float* d,
                                    const GaussianTables<float>& d_tables, float* d_features) {
  for (std::size_t at = 0; at < layout.count * kPlaneTile; at += kLanes) {
    store(gaussian_vjp(load(values + at), load(d + at)), d + at);
  }
  for (std::size_t i = 0; i < layout.inputs; ++i) {
    const float* own = features + i * kPlaneTile;
    float* d_own = d_features + i * kPlaneTile;
    std::memset(d_own, 0, kPlaneTile * sizeof(float));
    for (std::size_t k = 0; k < layout.count; ++k) {
      const std::size_t at = k * layout.inputs + i;
      const Pack center(tables.centers[at]), sharp(tables.sharpness[at]);
      Pack d_center, d_sharpness;
      for (std::size_t s = 0; s < kPlaneTile; s += kLanes) {
        const auto gradient =
            gaussian_exponent_vjp(load(own + s), center, sharp, load(d + k * kPlaneTile + s));
        store(load(d_own + s) + gradient.feature, d_own + s);
        d_center = d_center - gradient.feature;
        d_sharpness = d_sharpness + gradient.sharpness;
      }
      if (d_tables.centers == nullptr) continue;
      d_tables.centers[at] += sum_of_lanes(d_center);
      d_tables.sharpness[at] += sum_of_lanes(d_sharpness);
    }
  }
}

/// Values, and their changes, of a tile of samples: [planes][kPlaneTile].
template <class Float>
struct MovingTile {
  Float *values, *rates;
};

/// The same, also from the gradients of the values' changes.
inline void differentiate_gaussian_rates(const GaussianLayout& layout,
                                         const GaussianTables<const float>& tables,
                                         const MovingTile<const float>& features,
                                         const MovingTile<const float>& values,
                                         const MovingTile<float>& d,
                                         const GaussianTables<float>& d_tables,
                                         const MovingTile<float>& d_features) {
  for (std::size_t at = 0; at < layout.count * kPlaneTile; at += kLanes) {
    // rate = -value * exponent's rate, and the value's slope by the exponent is -value.
    const Pack d_rate = load(d.rates + at);
    const Pack d_exponent = gaussian_vjp(load(values.values + at), load(d.values + at));
    store(fnma(load(values.rates + at), d_rate, d_exponent), d.values + at);
    store(gaussian_vjp(load(values.values + at), d_rate), d.rates + at);
  }
  for (std::size_t i = 0; i < layout.inputs; ++i) {
    float* d_own = d_features.values + i * kPlaneTile;
    float* d_own_rate = d_features.rates + i * kPlaneTile;
    std::memset(d_own, 0, kPlaneTile * sizeof(float));
    std::memset(d_own_rate, 0, kPlaneTile * sizeof(float));
    for (std::size_t k = 0; k < layout.count; ++k) {
      const std::size_t at = k * layout.inputs + i;
      const Pack center(tables.centers[at]), sharp(tables.sharpness[at]);
      Pack d_center, d_sharpness;
      for (std::size_t s = 0; s < kPlaneTile; s += kLanes) {
        const std::size_t own = i * kPlaneTile + s, from = k * kPlaneTile + s;
        const Pack feature = load(features.values + own);
        const auto still = gaussian_exponent_vjp(feature, center, sharp, load(d.values + from));
        const auto moving = gaussian_exponent_rate_vjp(feature, load(features.rates + own), center,
                                                       sharp, load(d.rates + from));
        const Pack d_feature = still.feature + moving.feature;
        store(load(d_own + s) + d_feature, d_own + s);
        store(load(d_own_rate + s) + moving.feature_rate, d_own_rate + s);
        d_center = d_center - d_feature;
        d_sharpness = d_sharpness + (still.sharpness + moving.sharpness);
      }
      if (d_tables.centers == nullptr) continue;
      d_tables.centers[at] += sum_of_lanes(d_center);
      d_tables.sharpness[at] += sum_of_lanes(d_sharpness);
    }
  }
}

}  // namespace mote::MOTE_ISA
