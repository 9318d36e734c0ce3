// Every motion of the list with every kind that has it, in double: its table, its gradients against
// central differences through the templates that the kernels run, and its lives.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "pipeline/projection.h"
#include "pipeline/update.h"
#include "splats/life_range.h"
#include "splats/moment.h"
#include "splats/motions/motions.h"
#include "splats/time_segment.h"
#include "splats/transform.h"
#include "support/random_cloud.h"
#include "support/turned_camera.h"

namespace mote {
namespace {

using Vec = Vec3<double>;

constexpr double kDuration_s = 2;

template <class Whole>
StoredSplat<Whole, double> random_splat(std::mt19937& engine) {
  std::uniform_real_distribution<double> unit(-1, 1);
  StoredSplat<Whole, double> splat;
  for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
    const double value = unit(engine);
    switch (group_of(Whole::field(plane))) {
      case RateGroup::log_scale:
        splat.value[plane] = -1.6 + 0.5 * value;
        break;
      case RateGroup::mean:
      case RateGroup::velocity:
      case RateGroup::slope:
        splat.value[plane] = 0.3 * value;
        break;
      case RateGroup::time_mean:
        splat.value[plane] = kDuration_s * (0.5 + 0.6 * value);
        break;
      case RateGroup::time_sigma:
        splat.value[plane] = -0.5 + 0.4 * value;
        break;
      case RateGroup::time_plateau:
        splat.value[plane] = -1.5 + value;
        break;
      case RateGroup::direction_mean:
        splat.value[plane] = 0.7 * value;
        break;
      default:
        splat.value[plane] = value;
    }
  }
  splat.value[kPlane<Whole, Field::logit_opacity>] = 1.5 + 0.5 * unit(engine);
  return splat;
}

template <class Kind>
struct Seen {
  BoundingEllipse<double> bound;
  BlendedSplat<Kind, double> blended;
};

/// As the projection kernel does it: activated values, then the motion.
template <class Kind, class Motion>
Seen<Kind> see(const ViewCamera<double>& camera,
               const StoredSplat<MovingKind<Kind, Motion>, double>& splat, double time_s) {
  const SliceQuery<double> query = slice_query(camera, time_s);
  const Vec mean = mean_at<Kind, Motion>([&](int p) { return splat.value[p]; }, query);
  const Vec p_cam = in_camera(camera, mean);
  const auto projected = Kind::template project<false>(
      camera, kTurnedImage, p_cam, Motion::template at<Kind>(activate(splat), query), 1.0);
  return {projected.bound,
          {form_of(projected.bound), projected.bound.log2_opacity, p_cam.z, projected.extra}};
}

template <class Kind>
double log_alpha_at(const Seen<Kind>& seen, double px, double py) {
  const double x = px - seen.bound.mean_px.x, y = py - seen.bound.mean_px.y;
  const auto at = Kind::respond(
      seen.blended, form_value_at(seen.blended.form, seen.blended.log2_opacity, x, y), x, y);
  return Kind::log2_alpha(at) * std::log(2.0);
}

struct WeightedPixel {
  double x, y, weight;
};

template <class Kind, class Motion>
void expect_gradients() {
  using Whole = MovingKind<Kind, Motion>;
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  int tried = 0;
  while (tried < 40) {
    const ViewCamera<double> camera = turned_camera(0.03 * tried);
    const StoredSplat<Whole, double> splat = random_splat<Whole>(engine);
    const double time_s = kDuration_s * (0.5 + 0.5 * unit(engine));
    const Seen<Kind> seen = see<Kind, Motion>(camera, splat, time_s);
    if (!(seen.bound.log2_opacity > -4)) continue;  // hardly lives at that time
    ++tried;
    std::vector<WeightedPixel> pixels;
    SplatSums<Kind, double> sums{};
    for (int i = 0; i < 12; ++i) {
      const double x = 0.2 * unit(engine) * seen.bound.extent_x;
      const double y = 0.2 * unit(engine) * seen.bound.extent_y;
      pixels.push_back({seen.bound.mean_px.x + x, seen.bound.mean_px.y + y, unit(engine)});
      const auto at = Kind::respond(
          seen.blended, form_value_at(seen.blended.form, seen.blended.log2_opacity, x, y), x, y);
      Kind::template add<false>(seen.blended, at, pixels.back().weight, x, y, sums);
    }
    SplatGradient<Kind, Motion, 0, double> gradient;
    find_gradient<Kind, Motion, 0, false>(
        camera, time_s, splat, [](int, int) { return 0.3; }, sums, {0.0, 0.0}, gradient);

    double largest = 1e-3;
    for (const double d : gradient.stored.value) largest = std::max(largest, std::abs(d));
    const auto loss = [&](const StoredSplat<Whole, double>& s) {
      const Seen<Kind> there = see<Kind, Motion>(camera, s, time_s);
      double sum = 0;
      for (const WeightedPixel& p : pixels) sum += p.weight * log_alpha_at(there, p.x, p.y);
      return sum;
    };
    for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
      constexpr double kStep = 1e-5;
      auto plus = splat, minus = splat;
      plus.value[plane] += kStep;
      minus.value[plane] -= kStep;
      const double difference = (loss(plus) - loss(minus)) / (2 * kStep);
      EXPECT_NEAR(gradient.stored.value[plane], difference, 2e-4 * largest)
          << Kind::kName << ", " << Motion::kName << ", stored value " << plane;
    }
  }
}

/// The gradients of the regularisers, which take the opacity at the time as a function of the
/// stored opacity alone.
template <class Kind, class Motion>
void expect_regularizers() {
  using Whole = MovingKind<Kind, Motion>;
  std::mt19937 engine(4);
  const StoredSplat<Whole, double> splat = random_splat<Whole>(engine);
  const double time_s = splat.value[0] + 1;
  const SplatSums<Kind, double> none{};
  SplatGradient<Kind, Motion, 0, double> gradient;
  find_gradient<Kind, Motion, 0, false>(
      turned_camera(0), time_s, splat, [](int, int) { return 0.3; }, none, {0.25, 0.0}, gradient);
  constexpr int kOpacity = kPlane<Whole, Field::logit_opacity>;
  const double weight = gradient.weight;
  const auto loss = [&](double logit) { return 0.25 * weight * sigmoid(logit); };
  const double logit = splat.value[kOpacity], step = 1e-5;
  EXPECT_NEAR(gradient.stored.value[kOpacity],
              (loss(logit + step) - loss(logit - step)) / (2 * step), 1e-8);
  for (int plane = Kind::kFieldCount; plane < Whole::kFieldCount; ++plane) {
    EXPECT_EQ(gradient.stored.value[plane], 0) << Motion::kName << ", stored value " << plane;
  }
}

template <class Kind, class Motion>
void expect_table() {
  using Whole = MovingKind<Kind, Motion>;
  const KindInfo& info = kind_info(Kind::kKind, Motion::kMotion);
  EXPECT_TRUE(info.exists);
  EXPECT_STREQ(info.motion_name, Motion::kName);
  EXPECT_EQ(info.stored().size(), static_cast<std::size_t>(Whole::kFieldCount));
  for (int plane = 0; plane < Whole::kFieldCount; ++plane) {
    EXPECT_EQ(info.plane(Whole::field(plane)), plane);
    if (plane >= Kind::kFieldCount) {
      EXPECT_GE(static_cast<int>(Whole::field(plane)), kKindFields);
    }
  }
  const SplatForm form{Kind::kKind, 0, Motion::kMotion};
  EXPECT_EQ(form.floats(), static_cast<std::size_t>(Whole::kFieldCount) + 3);
}

/// Calls visit.operator()<Kind, Motion>() for all that exist.
template <class... KIND>
void for_each_motion(KindList<KIND...>, const auto& visit) {
  const auto of_kind = [&]<class Kind, class... MOTION>(MotionList<MOTION...>) {
    const auto one = [&]<class Motion>() {
      if constexpr (kCombined<Kind, Motion>) visit.template operator()<Kind, Motion>();
    };
    (one.template operator()<MOTION>(), ...);
  };
  (of_kind.template operator()<KIND>(SplatMotions()), ...);
}

TEST(SplatMotions, TheTableHasTheFieldsOfKindAndMotion) {
  for_each_motion(SplatKinds(), []<class Kind, class Motion>() { expect_table<Kind, Motion>(); });
  EXPECT_FALSE(kind_info(SplatKind::surfel, SplatMotion::life).exists);
}

TEST(SplatMotions, GradientsByStoredValuesMatchCentralDifferences) {
  for_each_motion(SplatKinds(),
                  []<class Kind, class Motion>() { expect_gradients<Kind, Motion>(); });
}

TEST(SplatMotions, RegularizersSeeTheWeightAsAConstant) {
  for_each_motion(SplatKinds(),
                  []<class Kind, class Motion>() { expect_regularizers<Kind, Motion>(); });
}

/// Calls visit.operator()<Motion>() for all motions with lives.
void for_each_life(const auto& visit) {
  for_each_motion(SplatKinds(), [&]<class Kind, class Motion>() {
    if constexpr (Motion::kHasLife) visit.template operator()<Motion>();
  });
}

template <class Motion>
using WholeOf = MovingKind<Gaussian, Motion>;

template <class Motion>
double opacity_at(const StoredSplat<WholeOf<Motion>, double>& splat, double time_s) {
  return Motion::template at<Gaussian>(activate(splat), at_time(time_s)).opacity();
}

template <class Whole>
MotionValues motion_of(const StoredSplat<Whole, double>& splat) {
  MotionValues motion{};
  for (int plane = Gaussian::kFieldCount; plane < Whole::kFieldCount; ++plane) {
    motion[Whole::field(plane)] = static_cast<float>(splat.value[plane]);
  }
  return motion;
}

TEST(SplatMotions, ALifeEndsWhereAlphaFallsBelowTheLeast) {
  for_each_life([]<class Motion>() {
    std::mt19937 engine(8);
    const auto least = static_cast<double>(kAlphaMin);
    for (int round = 0; round < 200; ++round) {
      const auto splat = random_splat<WholeOf<Motion>>(engine);
      const auto logit = static_cast<float>(splat.template get<Field::logit_opacity>());
      const LifeRange life = life_range(motion_of(splat), logit);
      const double length = life.to_s - life.from_s;
      ASSERT_GT(length, 0);
      for (const double end : {life.from_s, life.to_s}) {
        const double inwards = end == life.to_s ? -1 : 1;
        EXPECT_GE(opacity_at<Motion>(splat, end + 1e-4 * inwards * length), least);
        EXPECT_LT(opacity_at<Motion>(splat, end - 1e-4 * inwards * length), least);
      }
    }
  });
}

TEST(SplatMotions, FaintSplatsNeverLiveAndStaticOnesForEver) {
  for_each_life([]<class Motion>() {
    using Whole = WholeOf<Motion>;
    std::mt19937 engine(8);
    auto splat = random_splat<Whole>(engine);
    EXPECT_TRUE(life_range(motion_of(splat), -6.0f).empty());
    splat.value[kPlane<Whole, Field::log_time_plateau>] = static_cast<double>(kStaticLogPlateau);
    const LifeRange life = life_range(motion_of(splat), 0.0f);
    EXPECT_TRUE(life.has(-1e6) && life.has(1e6));
    EXPECT_DOUBLE_EQ(opacity_at<Motion>(splat, 1e6), opacity_at<Motion>(splat, 0));
  });
}

/// Only the middle of its life gets a gradient, through the velocity that it may still have.
TEST(SplatMotions, AStaticSplatGetsNoMotion) {
  for_each_life([]<class Motion>() {
    using Whole = WholeOf<Motion>;
    std::mt19937 engine(2);
    auto splat = random_splat<Whole>(engine);
    StoredSplat<Gaussian, double> d{};
    for (double& value : d.value) value = 1;
    const double time_s = splat.template get<Field::time_mean>() + 0.5;
    const auto moving = Motion::at_vjp(splat, at_time(time_s), d);
    splat.value[kPlane<Whole, Field::log_time_plateau>] = static_cast<double>(kStaticLogPlateau);
    const auto gradient = Motion::at_vjp(splat, at_time(time_s), d);
    for (int plane = plane_of<Whole>(Field::log_time_sigma); plane < Whole::kFieldCount; ++plane) {
      EXPECT_EQ(gradient.value[plane], 0) << Motion::kName << ", " << plane;
      if (Whole::field(plane) >= Field::velocity_x) {
        EXPECT_NE(moving.value[plane], 0);
      }
    }
    EXPECT_EQ(gradient.template get<Field::mean_x>(), 1);
  });
}

TEST(SplatMotions, StoredAndActivatedSplatsMoveAlike) {
  for_each_life([]<class Motion>() {
    std::mt19937 engine(6);
    for (int round = 0; round < 50; ++round) {
      const auto splat = random_splat<WholeOf<Motion>>(engine);
      const auto stored = Motion::template at<Gaussian>(splat, at_time(0.7));
      const auto activated = Motion::template at<Gaussian>(activate(splat), at_time(0.7));
      for (int plane = 0; plane < Gaussian::kFieldCount; ++plane) {
        const double value = activate(stored).value[plane];
        EXPECT_NEAR(value, activated.value[plane], 1e-6 * (1 + std::abs(value)));
      }
    }
  });
}

/// The formulas of the motion, without its template.
TEST(SplatMotions, APathIsAPolynomialOfDegreeThree) {
  std::mt19937 engine(12);
  using Whole = WholeOf<Poly>;
  const auto splat = random_splat<Whole>(engine);
  const double d = 0.6, time_s = splat.get<Field::time_mean>() + d;
  const auto moved = Poly::at<Gaussian>(splat, at_time(time_s));
  const auto value = [&](Field first, int k) {
    return splat.value[plane_of<Whole>(static_cast<Field>(static_cast<int>(first) + k))];
  };
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(moved.value[k],
                value(Field::mean_x, k) + value(Field::velocity_x, k) * d +
                    value(Field::quadratic_x, k) * d * d + value(Field::cubic_x, k) * d * d * d,
                1e-14);
  }
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(moved.value[plane_of<Gaussian>(Field::rotation_w) + k],
                value(Field::rotation_w, k) + value(Field::spin_w, k) * d, 1e-14);
  }
}

/// At a time, the living splats of a level are in the segment of that time or in a neighbour.
TEST(SplatMotions, TheSegmentOfALifeIsNearItsTimes) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 2000; ++round) {
    const double length = kDuration_s * std::pow(unit(engine), 4);
    const double middle = kDuration_s * unit(engine);
    const std::uint32_t number =
        time_segment({middle - length / 2, middle + length / 2}, kDuration_s);
    ASSERT_GT(number, 0u);
    const int level = 31 - __builtin_clz(number);
    const double segment_s = kDuration_s / (1 << level);
    EXPECT_GE(segment_s, length * (1 - 1e-12));
    const double segment = number - (1u << level);
    for (const double end : {middle - length / 2, middle + length / 2}) {
      if (end < 0 || end >= kDuration_s) continue;
      EXPECT_LE(std::abs(std::floor(end / segment_s) - segment), 1);
    }
  }
  EXPECT_EQ(time_segment({-1, 2}, kDuration_s), 0u);
  EXPECT_EQ(time_segment({0, 1}, 0), 0u);
}

TEST(SplatMotions, PartsOfASegmentAreInTheOrderOfTheirTimes) {
  std::mt19937 engine(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 2000; ++round) {
    const double length = kDuration_s * std::pow(unit(engine), 4);
    const double middle = kDuration_s * unit(engine);
    const LifeRange life{middle - length / 2, middle + length / 2};
    const std::uint32_t part = time_segment<kTimePartBits>(life, kDuration_s);
    EXPECT_EQ(part >> kTimePartBits, time_segment(life, kDuration_s));
    EXPECT_LT(part, 1u << kTimeSegmentBits);
    const double part_s = kDuration_s / (1 << (31 - __builtin_clz(part)));
    EXPECT_LE(std::abs(middle - part_s * (0.5 + (part - (1u << (31 - __builtin_clz(part)))))),
              part_s * 0.5000001);
  }
}

TEST(SplatMotions, AMomentHasTheSplatsThatLive) {
  const SplatCloud cloud = random_moving_cloud(500, 1, 7, SplatMotion::life);
  std::vector<std::uint32_t> source;
  const SplatCloud moment = moment_of(cloud, 0.6, &source);
  ASSERT_EQ(moment.count(), source.size());
  EXPECT_GT(moment.count(), 20u);
  EXPECT_LT(moment.count(), cloud.count());
  EXPECT_EQ(moment.motion(), SplatMotion::still);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::size_t from = source[i];
    const float since = 0.6f - cloud.at(from, Field::time_mean);
    EXPECT_NEAR(moment.at(i, Field::mean_y),
                cloud.at(from, Field::mean_y) + since * cloud.at(from, Field::velocity_y), 1e-5);
    EXPECT_LE(moment.at(i, Field::logit_opacity), cloud.at(from, Field::logit_opacity) + 1e-5f);
    EXPECT_EQ(moment.sh(i, 2, 1), cloud.sh(from, 2, 1));
  }
}

TEST(SplatMotions, ATransformTurnsAndScalesMotions) {
  for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
    SplatCloud cloud = random_moving_cloud(60, 1, 9, motion);
    const Similarity change{
        .scale = 2, .rotation = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, .translation = {1, 2, 3}};
    SplatCloud moved = with_sh_degree(cloud, 1);
    transform(moved, change);
    SplatCloud moment = moment_of(cloud, 0.9);
    transform(moment, change);
    const SplatCloud moment_of_moved = moment_of(moved, 0.9);
    ASSERT_EQ(moment.count(), moment_of_moved.count());
    ASSERT_GT(moment.count(), 5u);
    for (std::size_t i = 0; i < moment.count(); ++i) {
      for (const Field field : moment.info().stored()) {
        EXPECT_NEAR(moment.at(i, field), moment_of_moved.at(i, field), 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace mote
