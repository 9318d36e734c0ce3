// Every kind of the list, in double: its table, its bound, and its gradients against central
// differences through the same templates that the kernels run.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "pipeline/backward.h"
#include "pipeline/update.h"
#include "splats/kinds/kinds.h"
#include "support/turned_camera.h"

namespace mote {
namespace {

using Vec = Vec3<double>;

/// One splat whose stored values are in a plausible range.
template <class Kind>
StoredSplat<Kind, double> random_splat(std::mt19937& engine) {
  std::uniform_real_distribution<double> unit(-1, 1);
  StoredSplat<Kind, double> splat;
  for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
    const RateGroup group = group_of(Kind::field(plane));
    const double value = unit(engine);
    splat.value[plane] = group == RateGroup::log_scale ? -1.6 + 0.5 * value
                         : group == RateGroup::mean    ? 0.5 * value
                                                       : value;
  }
  splat.value[kPlane<Kind, Field::logit_opacity>] = 1.0 + 0.5 * unit(engine);
  return splat;
}

template <class Kind, bool ANTIALIASED>
struct Seen {
  Projected<Kind, double> projected;
  BlendedSplat<Kind, double> blended;
};

template <class Kind, bool ANTIALIASED>
Seen<Kind, ANTIALIASED> see(const ViewCamera<double>& camera,
                            const StoredSplat<Kind, double>& splat) {
  const Vec p_cam = camera.cam_from_world * splat.mean() + camera.translation;
  const auto projected =
      Kind::template project<ANTIALIASED>(camera, kTurnedImage, p_cam, activate(splat), 1.0);
  return {projected,
          {form_of(projected.bound), projected.bound.log2_opacity, p_cam.z, projected.extra}};
}

/// The logarithm of the splat's alpha at a pixel, and dL/d(stored values) for L = sum of weight *
/// ln(alpha) over pixels.
template <class Kind, bool ANTIALIASED>
double log_alpha_at(const ViewCamera<double>& camera, const StoredSplat<Kind, double>& splat,
                    double px, double py) {
  const auto seen = see<Kind, ANTIALIASED>(camera, splat);
  const PixelPoint<double> mean = seen.projected.bound.mean_px;
  const double x = px - mean.x, y = py - mean.y;
  const auto at = Kind::respond(
      seen.blended, form_value_at(seen.blended.form, seen.blended.log2_opacity, x, y), x, y);
  return Kind::log2_alpha(at) * std::log(2.0);
}

struct WeightedPixel {
  double x, y, weight;
};

/// Pixels where the splat is well inside its bound.
template <class Kind, bool ANTIALIASED>
std::vector<WeightedPixel> pixels_of(const ViewCamera<double>& camera,
                                     const StoredSplat<Kind, double>& splat, std::mt19937& engine) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto seen = see<Kind, ANTIALIASED>(camera, splat);
  const BoundingEllipse<double>& bound = seen.projected.bound;
  std::vector<WeightedPixel> pixels;
  while (pixels.size() < 12) {
    const double x = bound.mean_px.x + 0.6 * unit(engine) * bound.extent_x;
    const double y = bound.mean_px.y + 0.6 * unit(engine) * bound.extent_y;
    const double log_alpha = log_alpha_at<Kind, ANTIALIASED>(camera, splat, x, y);
    if (log_alpha > std::log(1.0 / 255)) pixels.push_back({x, y, unit(engine)});
  }
  return pixels;
}

template <class Kind, bool ANTIALIASED>
void expect_gradients() {
  std::mt19937 engine(11);
  for (int round = 0; round < 20; ++round) {
    const ViewCamera<double> camera = turned_camera(0.05 * round);
    const StoredSplat<Kind, double> splat = random_splat<Kind>(engine);
    const auto pixels = pixels_of<Kind, ANTIALIASED>(camera, splat, engine);
    const auto seen = see<Kind, ANTIALIASED>(camera, splat);
    SplatSums<Kind, double> sums{};
    for (const WeightedPixel& p : pixels) {
      const double x = p.x - seen.projected.bound.mean_px.x;
      const double y = p.y - seen.projected.bound.mean_px.y;
      const auto at = Kind::respond(
          seen.blended, form_value_at(seen.blended.form, seen.blended.log2_opacity, x, y), x, y);
      Kind::template add<false>(seen.blended, at, p.weight, x, y, sums);
    }
    const auto gradient = Kind::template view_vjp<ANTIALIASED>(
        camera, splat, Kind::view(camera, splat), sums, Vec{0, 0, 0});

    double largest = 1e-3;
    for (const double d : gradient.stored.value) largest = std::max(largest, std::abs(d));
    const auto loss = [&](const StoredSplat<Kind, double>& s) {
      double sum = 0;
      for (const WeightedPixel& p : pixels) {
        sum += p.weight * log_alpha_at<Kind, ANTIALIASED>(camera, s, p.x, p.y);
      }
      return sum;
    };
    for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
      constexpr double kStep = 1e-5;
      auto plus = splat, minus = splat;
      plus.value[plane] += kStep;
      minus.value[plane] -= kStep;
      const double difference = (loss(plus) - loss(minus)) / (2 * kStep);
      EXPECT_NEAR(gradient.stored.value[plane], difference, 1e-4 * largest)
          << Kind::kName << (ANTIALIASED ? " antialiased" : "") << ", stored value " << plane;
    }
  }
}

/// Outside its bounding ellipse and box a splat's alpha is below 1/255.
template <class Kind, bool ANTIALIASED>
void expect_bound() {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int round = 0; round < 50; ++round) {
    const ViewCamera<double> camera = turned_camera(0.02 * round);
    const StoredSplat<Kind, double> splat = random_splat<Kind>(engine);
    const auto seen = see<Kind, ANTIALIASED>(camera, splat);
    const BoundingEllipse<double>& bound = seen.projected.bound;
    for (int i = 0; i < 400; ++i) {
      const double x = 2 * unit(engine) * bound.extent_x, y = 2 * unit(engine) * bound.extent_y;
      const double form = form_value_at(seen.blended.form, seen.blended.log2_opacity, x, y);
      const bool inside = form >= static_cast<double>(kLog2AlphaMin) - 1e-9 &&
                          std::abs(x) <= bound.extent_x * (1 + 1e-9) &&
                          std::abs(y) <= bound.extent_y * (1 + 1e-9);
      if (inside) continue;
      const auto at = Kind::respond(seen.blended, form, x, y);
      EXPECT_LT(Kind::log2_alpha(at), static_cast<double>(kLog2AlphaMin) + 1e-6) << Kind::kName;
    }
  }
}

/// In a cell that the kind rules out, a splat's alpha is below 1/255. Some of the splats reach
/// behind the camera.
template <class Kind>
void expect_cells() {
  if constexpr (Kind::kTestsCells) {
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    int ruled_out = 0, touched = 0;
    for (int round = 0; round < 200; ++round) {
      const ViewCamera<double> camera = turned_camera(0.02 * round);
      StoredSplat<Kind, double> splat = random_splat<Kind>(engine);
      for (const Field field : {Field::log_scale_x, Field::log_scale_y}) {
        splat.value[plane_of<Kind>(field)] += round % 3;
      }
      const auto seen = see<Kind, false>(camera, splat);
      for (int i = 0; i < 100; ++i) {
        const double x = 60 * unit(engine), y = 60 * unit(engine), width = 7, height = 3;
        const bool may = Kind::touches_cell(seen.blended.log2_opacity, seen.blended.extra.value, x,
                                            y, width, height);
        (may ? touched : ruled_out) += 1;
        if (may) continue;
        for (int pixel = 0; pixel < 32; ++pixel) {
          const auto at = Kind::respond(seen.blended, 0.0, x + pixel % 8, y + pixel / 8);
          EXPECT_LT(Kind::log2_alpha(at), static_cast<double>(kLog2AlphaMin)) << Kind::kName;
        }
      }
    }
    EXPECT_GT(ruled_out, 1000);
    EXPECT_GT(touched, 1000);
  }
}

/// Sums over a column of pixels are those over its pixels.
template <class Kind>
void expect_column_sums() {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  const ViewCamera<double> camera = turned_camera(0.1);
  const StoredSplat<Kind, double> splat = random_splat<Kind>(engine);
  const auto seen = see<Kind, false>(camera, splat);
  SplatSums<Kind, double> sums{}, column{};
  const double x = 0.4 * seen.projected.bound.extent_x;
  for (int j = 0; j < 4; ++j) {
    const double y = 0.2 * j * seen.projected.bound.extent_y, g = unit(engine);
    const auto at = Kind::respond(
        seen.blended, form_value_at(seen.blended.form, seen.blended.log2_opacity, x, y), x, y);
    Kind::template add<true>(seen.blended, at, g, x, y, sums);
    Kind::template add_in_column<true>(seen.blended, at, g, x, y, column);
  }
  Kind::finish_column(x, column);
  for (int k = 0; k < Kind::kSums; ++k) {
    EXPECT_NEAR(column.value[k], sums.value[k], 1e-9 * (1 + std::abs(sums.value[k])))
        << Kind::kName << ", sum " << k;
  }
}

template <class Kind>
void expect_table() {
  const KindInfo& info = kind_info(Kind::kKind);
  EXPECT_STREQ(info.name, Kind::kName);
  EXPECT_EQ(find_kind(Kind::kName), &info);
  EXPECT_EQ(info.stored().size(), static_cast<std::size_t>(Kind::kFieldCount));
  for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
    EXPECT_EQ(info.plane(Kind::field(plane)), plane) << Kind::kName;
  }
  for (const Field field : {Field::mean_x, Field::mean_y, Field::mean_z, Field::log_scale_x,
                            Field::log_scale_y, Field::rotation_w, Field::rotation_x,
                            Field::rotation_y, Field::rotation_z, Field::logit_opacity}) {
    EXPECT_TRUE(info.stores(field)) << Kind::kName;
  }
  EXPECT_EQ(info.padded_sums % 4, 0);
}

template <class... KIND>
void for_each_kind(KindList<KIND...>, auto&& visit) {
  (visit.template operator()<KIND>(), ...);
}

TEST(SplatKinds, TheTableHasTheFieldsOfEachKind) {
  for_each_kind(SplatKinds(), []<class Kind>() { expect_table<Kind>(); });
  EXPECT_EQ(find_kind("cube"), nullptr);
}

TEST(SplatKinds, CellsThatAreRuledOutAreNotTouched) {
  for_each_kind(SplatKinds(), []<class Kind>() { expect_cells<Kind>(); });
}

TEST(SplatKinds, GradientsByStoredValuesMatchCentralDifferences) {
  for_each_kind(SplatKinds(), []<class Kind>() {
    expect_gradients<Kind, false>();
    expect_gradients<Kind, true>();
  });
}

TEST(SplatKinds, OutsideItsBoundASplatIsBelowTheLeastAlpha) {
  for_each_kind(SplatKinds(), []<class Kind>() {
    expect_bound<Kind, false>();
    expect_bound<Kind, true>();
  });
}

TEST(SplatKinds, SumsOverAColumnMatchThoseOverItsPixels) {
  for_each_kind(SplatKinds(), []<class Kind>() { expect_column_sums<Kind>(); });
}

}  // namespace
}  // namespace mote
