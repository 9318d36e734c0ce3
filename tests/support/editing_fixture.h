#pragma once

// A cloud of random splats in an editor.

#include <gtest/gtest.h>

#include <cstddef>

#include "splats/splat_editor.h"
#include "support/random_cloud.h"

namespace mote {

inline constexpr std::size_t kCount = 1000;

inline SplatMask range_of(std::size_t size, std::size_t begin, std::size_t end) {
  SplatMask mask(size);
  for (std::size_t i = begin; i < end; ++i) mask.set(i, true);
  return mask;
}

inline bool same_splat(const SplatCloud& a, std::size_t i, const SplatCloud& b, std::size_t j) {
  bool same = true;
  for (int f = 0; f < kGaussianFields; ++f) {
    same = same && a.at(i, static_cast<Field>(f)) == b.at(j, static_cast<Field>(f));
  }
  for (int k = 0; k < a.sh_coefficients(); ++k) {
    for (int c = 0; c < 3; ++c) same = same && a.sh(i, k, c) == b.sh(j, k, c);
  }
  return same;
}

inline bool same_cloud(const SplatCloud& a, const SplatCloud& b) {
  bool same = a.count() == b.count() && a.sh_degree() == b.sh_degree();
  for (std::size_t i = 0; same && i < a.count(); ++i) same = same_splat(a, i, b, i);
  return same;
}

class Editing : public ::testing::Test {
 protected:
  void pick(std::size_t begin, std::size_t end, MaskOperation operation = MaskOperation::replace) {
    editor_.select(range_of(editor_.cloud().count(), begin, end), operation);
  }

  SplatCloud original_ = random_cloud(kCount, 1, 1);
  SplatEditor editor_{random_cloud(kCount, 1, 1)};
};

}  // namespace mote
