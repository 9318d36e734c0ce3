// `mote_motion 1`: splats that move in a .ply.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/error.h"
#include "io/splats/ply_header.h"
#include "io/splats/scene_format.h"
#include "math/activations.h"
#include "splats/moment.h"
#include "splats/motions/life.h"
#include "support/files/format_samples.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

using samples::error_of;
using samples::load;
using samples::TemporaryFile;

std::string written(const SplatCloud& cloud) {
  const TemporaryFile file(".ply");
  save_scene(cloud, file.path());
  return file.read();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

void expect_close(const SplatCloud& expected, const SplatCloud& found) {
  ASSERT_EQ(expected.count(), found.count());
  for (std::size_t i = 0; i < expected.count(); ++i) {
    for (const Field field : expected.info().stored()) {
      const float value = expected.at(i, field);
      ASSERT_NEAR(value, found.at(i, field), 2e-5f * (1 + std::abs(value)))
          << "splat " << i << ", field " << static_cast<int>(field);
    }
    for (int k = 0; k < expected.sh_coefficients(); ++k) {
      ASSERT_EQ(expected.sh(i, k, 1), found.sh(i, k, 1));
    }
  }
}

/// The file measures quaternions and spins by the length of the quaternion at the reference.
void measure_by_rotation(SplatCloud& cloud, const SplatCloud& found) {
  constexpr Field kQuaternions[] = {Field::rotation_w, Field::spin_w};
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const float factor = found.at(i, Field::spin_x) / cloud.at(i, Field::spin_x);
    EXPECT_GT(factor, 0);
    for (const Field first : kQuaternions) {
      for (int k = 0; k < 4; ++k)
        cloud.at(i, static_cast<Field>(static_cast<int>(first) + k)) *= factor;
    }
  }
}

TEST(MotionPly, SplatsThatMoveAreReadAsTheyWereWritten) {
  for (const int degree : {0, 3}) {
    for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
      SplatCloud cloud = random_moving_cloud(70, degree, 3, motion);
      cloud.antialiased = degree == 3;
      const SplatCloud found = load(written(cloud));
      EXPECT_EQ(found.motion(), motion);
      EXPECT_EQ(found.times, cloud.times);
      EXPECT_EQ(found.antialiased, cloud.antialiased);
      EXPECT_TRUE(found.warnings.empty());
      if (motion == SplatMotion::poly) measure_by_rotation(cloud, found);
      expect_close(cloud, found);
    }
  }
}

/// The properties are true derivatives at the moment of the reference.
TEST(MotionPly, AReaderOfTheSpecificationFindsTheSamePath) {
  const SplatCloud cloud = random_moving_cloud(40, 0, 3, SplatMotion::poly);
  const std::string text = written(cloud);
  const TemporaryFile file(text, ".ply");
  const InputFile input(file.path());
  const PlyHeader header = read_ply_header(input);
  const PlyElement& vertex = *header.find("vertex");
  const auto value = [&](std::size_t row, const std::string& name) {
    const PlyProperty* property = vertex.find(name);
    EXPECT_NE(property, nullptr) << name;
    float found = 0;
    std::memcpy(&found, text.data() + header.data_offset + row * vertex.row_size + property->offset,
                sizeof found);
    return static_cast<double>(found);
  };
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double half = value(i, "time_plateau") + 3 * std::exp(value(i, "log_time_sigma"));
    const double tau = std::clamp(0.0, value(i, "time") - half, value(i, "time") + half);
    const double time_s = value(i, "time") + 0.1, delta = time_s - tau;
    const double path = value(i, "y") + value(i, "velocity_1") * delta +
                        value(i, "acceleration_1") * delta * delta / 2 +
                        value(i, "jerk_1") * std::pow(delta, 3) / 6;
    const double d = time_s - static_cast<double>(cloud.at(i, Field::time_mean));
    const auto stored = [&](Field field) { return static_cast<double>(cloud.at(i, field)); };
    EXPECT_NEAR(path,
                stored(Field::mean_y) + stored(Field::velocity_y) * d +
                    stored(Field::quadratic_y) * d * d + stored(Field::cubic_y) * d * d * d,
                1e-5);
    const double w = value(i, "rot_0") + value(i, "spin_0") * delta;
    const double z = value(i, "rot_3") + value(i, "spin_3") * delta;
    EXPECT_NEAR(w * (stored(Field::rotation_z) + stored(Field::spin_z) * d),
                z * (stored(Field::rotation_w) + stored(Field::spin_w) * d), 1e-5);
  }
}

TEST(MotionPly, GroupsOfPropertiesMayBeAbsent) {
  const SplatCloud cloud = random_moving_cloud(5, 0, 3, SplatMotion::poly);
  std::string text = written(cloud);
  for (const char* axis : {"0", "1", "2"}) {
    text = replaced(text, std::string("float jerk_") + axis, std::string("float other") + axis);
  }
  const SplatCloud found = load(text);
  ASSERT_EQ(found.motion(), SplatMotion::poly);
  for (std::size_t i = 0; i < found.count(); ++i) {
    EXPECT_EQ(found.at(i, Field::cubic_y), 0);
    EXPECT_NE(found.at(i, Field::quadratic_y), 0);
  }
}

TEST(MotionPly, StaticSplatsStayStatic) {
  SplatCloud cloud = random_moving_cloud(3, 0, 3);
  cloud.at(1, Field::log_time_plateau) = kStaticLogPlateau;
  for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
    cloud.at(1, field) = 0;
  }
  const SplatCloud found = load(written(cloud));
  EXPECT_EQ(found.at(1, Field::log_time_plateau), kStaticLogPlateau);
  EXPECT_EQ(found.at(1, Field::mean_x), cloud.at(1, Field::mean_x));
  EXPECT_LT(found.at(0, Field::log_time_plateau), 1);
}

/// A program that ignores unknown properties and comments shows the moment of the reference.
TEST(MotionPly, PlainReadersSeeOneMoment) {
  const SplatCloud cloud = random_moving_cloud(200, 1, 6);
  const std::string plain = replaced(written(cloud), "mote_motion 1", "other_text 1");
  const SplatCloud seen = load(plain);
  EXPECT_EQ(seen.motion(), SplatMotion::still);
  ASSERT_EQ(seen.count(), cloud.count());
  std::vector<std::uint32_t> source;
  const SplatCloud moment = moment_of(cloud, 0, &source);
  ASSERT_GT(moment.count(), 20u);
  for (std::size_t i = 0; i < moment.count(); ++i) {
    for (const Field field : {Field::mean_x, Field::mean_y, Field::mean_z, Field::logit_opacity}) {
      // The state is that of a time within three standard deviations of the life.
      const double tolerance = field == Field::logit_opacity ? 1e-4 : 0.05;
      EXPECT_NEAR(seen.at(source[i], field), moment.at(i, field), tolerance);
    }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < seen.count(); ++i) {
    if (next < source.size() && source[next] == i) {
      ++next;
      continue;
    }
    EXPECT_LT(sigmoid(seen.at(i, Field::logit_opacity)), 1 / 254.0f);
  }
}

TEST(MotionPly, TheStateOfAnotherReferenceIsTakenBackExactly) {
  const SplatCloud cloud = random_moving_cloud(50, 0, 8);
  const std::string at_one =
      replaced(written(cloud), "mote_time_reference_s 0", "mote_time_reference_s 1");
  const SplatCloud found = load(at_one);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double half = std::exp(static_cast<double>(cloud.at(i, Field::log_time_plateau))) +
                        3 * std::exp(static_cast<double>(cloud.at(i, Field::log_time_sigma)));
    const auto middle = static_cast<double>(cloud.at(i, Field::time_mean));
    const double wrote = std::clamp(0.0, middle - half, middle + half);
    const double read = std::clamp(1.0, middle - half, middle + half);
    const double expected = static_cast<double>(cloud.at(i, Field::mean_x)) +
                            static_cast<double>(cloud.at(i, Field::velocity_x)) * (wrote - read);
    EXPECT_NEAR(found.at(i, Field::mean_x), expected, 1e-5);
  }
}

TEST(MotionPly, WrongHeadersAreNamed) {
  const std::string good = written(random_moving_cloud(5, 0, 3));
  const auto what = [&](const std::string& from, const std::string& to) {
    return std::string(error_of(replaced(good, from, to)).what());
  };
  EXPECT_NE(what("mote_motion 1", "mote_motion 2").find("version '2'"), std::string::npos);
  EXPECT_NE(what("mote_duration_s 2", "mote_duration_s x").find("mote_duration_s"),
            std::string::npos);
  EXPECT_NE(what("mote_duration_s 2", "mote_duration_s 0").find("mote_duration_s"),
            std::string::npos);
  EXPECT_NE(what("mote_duration_s 2", "mote_duration_s 1e300").find("not a time"),
            std::string::npos);
  EXPECT_NE(what("mote_duration_s 2", "other 2").find("mote_duration_s"), std::string::npos);
  EXPECT_NE(what("float velocity_1", "float velocity_9").find("velocity_1"), std::string::npos);
  EXPECT_NE(what("float opacity_peak", "float something_1").find("opacity_peak"),
            std::string::npos);
  EXPECT_NE(what("property float nx", "property float spin_0").find("spin_1"), std::string::npos);
}

TEST(MotionPly, ATruncatedFileIsRefused) {
  const std::string good = written(random_moving_cloud(40, 1, 3));
  for (const std::size_t kept : {good.size() - 1, good.size() / 2, good.find("velocity_1")}) {
    EXPECT_NE(std::string(error_of(good.substr(0, kept)).what()), "") << kept;
  }
}

TEST(MotionPly, HostileValuesAreReadAsNotFinite) {
  SplatCloud cloud = random_moving_cloud(4, 0, 3);
  cloud.at(0, Field::log_time_sigma) = 90;     // an endless life
  cloud.at(1, Field::log_time_plateau) = -90;  // a plateau of no length
  cloud.at(2, Field::time_mean) = std::nanf("");
  cloud.at(3, Field::velocity_x) = INFINITY;
  const SplatCloud found = load(written(cloud));
  EXPECT_EQ(found.at(0, Field::log_time_sigma), kStaticLogPlateau);
  EXPECT_TRUE(std::isfinite(found.at(1, Field::log_time_plateau)));
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings[0].find("2 of 4"), std::string::npos) << found.warnings[0];
}

TEST(MotionPly, FormatsWithoutMotionAreRefused) {
  const TemporaryFile file(".spz");
  try {
    save_scene(random_moving_cloud(5, 0, 3), file.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the scene moves"), std::string::npos);
  }
}

}  // namespace
}  // namespace mote
