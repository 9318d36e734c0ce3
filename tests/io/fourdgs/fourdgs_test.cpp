// .4dgs files: written lives are read within the stated errors, states are composed from changes,
// and damaged files are refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <numbers>

#include "io/fourdgs/file.h"
#include "io/fourdgs/states.h"
#include "io/fourdgs/writing.h"
#include "support/files/fourdgs_samples.h"
#include "support/thrown_by.h"

namespace mote::fourdgs {
namespace {

namespace fs = std::filesystem;

class FourdgsFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path written(const SplatList& list, int sh_degree) const {
    write_sample(list, sh_degree, path());
    return path();
  }
  fs::path written(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;
    return path();
  }
  static std::vector<SplatList> read_all(const fs::path& path) {
    const InputFile input(path);
    const File file(input);
    SplatReader reader(file);
    std::vector<SplatList> lists;
    for (std::size_t i = 0; i < file.chunks().size(); ++i) lists.push_back(reader.read(i));
    return lists;
  }
  fs::path path() const { return folder_ / "scene.4dgs"; }

  fs::path folder_ = fs::path(testing::TempDir()) / ("fourdgs_" + std::to_string(::getpid()));
};

double position_at(const Splat& splat, std::size_t axis, double time_s) {
  return splat.position[axis] + double{splat.velocity[axis]} * (time_s - splat.time);
}

/// The middle of the time in which a splat is seen; that of its bell if it never is.
double seen_middle(const Splat& splat, double cutoff) {
  const double half = double{splat.sigma} * std::sqrt(-2 * std::log(cutoff));
  const double begin = std::max(double{splat.begin}, splat.time - half);
  const double end = std::min(double{splat.end}, splat.time + half);
  return begin < end ? (begin + end) / 2 : double{splat.time};
}

TEST_F(FourdgsFiles, WrittenLivesAreReadWithinTheStatedErrors) {
  const WriteSettings settings;
  for (int degree = 0; degree <= 3; ++degree) {
    SCOPED_TRACE(degree);
    const SplatList list = random_splats(300, degree, 7);
    const std::vector<SplatList> read = read_all(written(list, degree));
    ASSERT_EQ(read.size(), 1u);
    ASSERT_EQ(read[0].splats.size(), list.splats.size());
    for (std::size_t i = 0; i < list.splats.size(); ++i) {
      const Splat &expected = list.splats[i], &found = read[0].splats[i];
      const double moves = 1.01 * settings.position_error;
      const double middle = seen_middle(expected, settings.cutoff);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(position_at(found, k, middle), position_at(expected, k, middle), moves);
        EXPECT_NEAR(found.scale[k] / expected.scale[k], 1, 1.01 * settings.scale_error);
        const double life = std::isinf(expected.sigma)
                                ? expected.end - expected.begin
                                : expected.sigma * std::sqrt(-2 * std::log(settings.cutoff));
        EXPECT_NEAR(found.velocity[k] * std::min(life, 2.0),
                    expected.velocity[k] * std::min(life, 2.0), moves);
      }
      double same = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        same += double{found.rotation[k]} * expected.rotation[k];
        EXPECT_NEAR(found.color[k], expected.color[k], 0.5 / 255 + 1e-6);
      }
      EXPECT_NEAR(std::abs(same), 1, 1e-5);
      EXPECT_NEAR(found.time, expected.time, 1.01 * settings.time_error_s);
      EXPECT_EQ(std::isinf(found.sigma), std::isinf(expected.sigma));
      if (!std::isinf(expected.sigma)) {
        EXPECT_NEAR(found.sigma / expected.sigma, 1, 1.01 * settings.scale_error);
        EXPECT_LE(std::abs(found.time - expected.time), 0.0251 * expected.sigma);
      }
      EXPECT_EQ(found.begin, expected.begin);
      EXPECT_EQ(found.end, expected.end);
    }
    ASSERT_EQ(read[0].harmonics.size(), list.harmonics.size());
    for (std::size_t i = 0; i < list.harmonics.size(); ++i) {
      EXPECT_NEAR(read[0].harmonics[i], list.harmonics[i], 4.001 / 255);
    }
  }
}

TEST_F(FourdgsFiles, SizesAndLivesThatDifferMuchAreKeptApart) {
  // Numbers of steps that differ by multiples of a power of two, in turns.
  SplatList list = random_splats(12, 0, 9);
  const WriteSettings settings;
  const auto apart = static_cast<float>(1024 * 2 * settings.scale_error);
  for (std::size_t i = 0; i < list.splats.size(); ++i) {
    const float shift = -apart * static_cast<float>(i % 3);
    list.splats[i].scale = {std::exp(shift), std::exp(shift + apart), std::exp(shift)};
    list.splats[i].sigma = std::exp(0.5f + shift);
  }
  const SplatList read = read_all(written(list, 0)).at(0);
  ASSERT_EQ(read.splats.size(), list.splats.size());
  for (std::size_t i = 0; i < list.splats.size(); ++i) {
    const Splat &expected = list.splats[i], &found = read.splats[i];
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found.scale[k] / expected.scale[k], 1, 1.01 * settings.scale_error);
    }
    EXPECT_NEAR(found.sigma / expected.sigma, 1, 1.01 * settings.scale_error);
  }
}

TEST_F(FourdgsFiles, ChunksAreFiledByTheTimeInWhichTheirSplatsAreSeen) {
  SplatList early = random_splats(2, 0, 1), late = early;
  early.splats[1].sigma = early.splats[0].sigma = 0.01f;
  early.splats[0].time = 0.5f;
  early.splats[1].time = 1;
  early.splats[0].begin = early.splats[1].begin = 0;
  late.splats[0].begin = late.splats[1].begin = 3;
  late.splats[0].sigma = late.splats[1].sigma = INFINITY;
  const std::vector<WrittenChunk> chunks{{early.splats, {}}, {late.splats, {}}};
  OutputFile out(path());
  write_lives({.count = 2, .at = [&](std::size_t i) { return chunks[i]; }}, 0, {.duration_s = 4},
              out);
  out.commit();
  const InputFile input(path());
  const File file(input);
  ASSERT_EQ(file.chunks().size(), 2u);
  const double half = 0.01 * std::sqrt(2 * std::log(255.0));
  EXPECT_NEAR(file.chunks()[0].begin, 0.5 - half, 1e-6);
  EXPECT_NEAR(file.chunks()[0].end, 1 + half, 1e-6);
  EXPECT_EQ(file.chunks()[1].begin, 3);
  EXPECT_EQ(file.chunks()[1].end, 4);
  EXPECT_EQ(file.header().splat_count, 4u);
}

TEST_F(FourdgsFiles, AStateIsItsReferenceWithItsChanges) {
  const std::vector<SplatList> states = read_all(written(StatesFile().bytes()));
  ASSERT_EQ(states.size(), 2u);
  const auto places = [](const SplatList& list) {
    std::vector<std::pair<std::uint32_t, float>> result;
    for (const Splat& splat : list.splats) result.emplace_back(splat.id, splat.position[0]);
    return result;
  };
  using Places = std::vector<std::pair<std::uint32_t, float>>;
  EXPECT_EQ(places(states[0]), (Places{{10, 10}, {11, 11}, {12, 12}}));
  EXPECT_EQ(places(states[1]), (Places{{10, 10.5f}, {12, 12}, {13, 13}}));
}

TEST_F(FourdgsFiles, StatesAreTheSameInAnyOrder) {
  const InputFile input(written(StatesFile().bytes()));
  const File file(input);
  SplatReader reader(file);
  const SplatList late = reader.read(1), early = reader.read(0), again = reader.read(1);
  EXPECT_EQ(early.splats.size(), 3u);
  ASSERT_EQ(late.splats.size(), again.splats.size());
  for (std::size_t i = 0; i < late.splats.size(); ++i) {
    EXPECT_EQ(late.splats[i].position, again.splats[i].position);
  }
}

TEST_F(FourdgsFiles, ImpossibleChangesAreRefusedByName) {
  const auto refused = [&](const std::function<void(StatesFile&)>& change) {
    StatesFile states;
    change(states);
    const Error error = thrown_by([&] { read_all(written(states.bytes())); });
    EXPECT_NE(error.where().find("scene.4dgs"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  };
  const auto says = [](const std::string& problem, const std::string& words) {
    EXPECT_NE(problem.find(words), std::string::npos) << problem;
  };
  says(refused([](StatesFile& f) { f.updated = {99}; }), "update of splat 99");
  says(refused([](StatesFile& f) { f.deaths = {99}; }), "death of splat 99");
  says(refused([](StatesFile& f) { f.births = {12}; }), "birth of splat 12");
  says(refused([](StatesFile& f) { f.deaths = {10}; }), "splat 10 is changed twice");
  says(refused([](StatesFile& f) { f.update_streams = StatesFile::stream(Attribute::sigma, {1}); }),
       "update of attribute 8");
  says(refused([](StatesFile& f) {
         f.update_streams = StatesFile::stream(Attribute::position, {1, 0, 0, 1, 0, 0});
       }),
       "2 elements");
  says(refused([](StatesFile& f) {
         f.update_streams = StatesFile::stream(Attribute::position, {INT32_MAX, 0, 0});
       }),
       "more than 32 bits");
  says(refused([](StatesFile& f) { f.second_state = 1.5; }), "1.5 to 2 s");
  says(refused([](StatesFile& f) { f.depth = 2; }), "2 steps");
  says(refused([](StatesFile& f) { f.level = 3; }), "level 3");
  says(refused([](StatesFile& f) { f.reference_shift = 1; }), "none before them begins");
}

TEST_F(FourdgsFiles, TruncatedFilesAreRefused) {
  const std::string bytes = text_of(written(random_splats(5, 1, 3), 1));
  for (std::size_t length = 0; length < bytes.size(); length += 5) {
    SCOPED_TRACE(length);
    const Error error = thrown_by([&] { read_all(written(bytes.substr(0, length))); });
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_F(FourdgsFiles, ChangedBytesAreReadOrRefused) {
  for (const std::string& bytes :
       {text_of(written(random_splats(3, 1, 3), 1)), StatesFile().bytes()}) {
    std::size_t refused = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 0x41);
      try {
        read_all(written(changed));
      } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        ++refused;
      }
    }
    EXPECT_GT(refused, bytes.size() / 9);
  }
}

TEST_F(FourdgsFiles, AnIndexThatDisagreesWithItsChunksIsRefused) {
  std::string bytes = text_of(written(random_splats(3, 0, 3), 0));
  // The footer says where the index begins; after the record's head come two times, the offset, the
  // length and the count.
  std::uint64_t index = 0;
  std::memcpy(&index, bytes.data() + bytes.size() - kTailBytes + kRecordHeadBytes, sizeof index);
  bytes[index + kRecordHeadBytes + 32] ^= 1;
  const Error error = thrown_by([&] { read_all(written(bytes)); });
  EXPECT_NE(error.problem().find("number of splats"), std::string::npos) << error.problem();
}

TEST_F(FourdgsFiles, UnknownVersionsAndModelsAreRefusedByName) {
  const std::string bytes = text_of(written(random_splats(3, 0, 3), 0));
  const auto problem = [&](std::string_view from, std::string_view to) {
    std::string changed = bytes;
    changed.replace(changed.find(from), from.size(), to);
    return thrown_by([&] { read_all(written(changed)); }).problem();
  };
  EXPECT_NE(problem("4DGS1", "4DGS2").find("version 2"), std::string::npos);
  EXPECT_NE(problem("gaussian-birth", "gaussian-death").find("gaussian-death"), std::string::npos);
  EXPECT_NE(problem("uniform-v1", "uniform-v9").find("uniform-v9"), std::string::npos);
  EXPECT_TRUE(probe(std::as_bytes(std::span(bytes))));
  EXPECT_FALSE(probe(std::as_bytes(std::span("ply\nformat"))));
}

TEST(ObjectTracks, TurnAndMoveBetweenTheirPoses) {
  const double half = std::sqrt(0.5);
  ObjectTrack track{.object = 1,
                    .poses = {{0, {0, 0, 0, 1}, {0, 0, 0}}, {2, {0, 0, half, half}, {4, 0, 0}}}};
  const ObjectTrack::Pose middle = track.at(1);
  EXPECT_NEAR(middle.rotation[2], std::sin(std::numbers::pi / 8), 1e-12);
  EXPECT_NEAR(middle.rotation[3], std::cos(std::numbers::pi / 8), 1e-12);
  EXPECT_EQ(middle.translation[0], 2);
  EXPECT_EQ(track.at(-1).translation[0], 0);
  EXPECT_EQ(track.at(5).translation[0], 4);
  track.in_steps = true;
  EXPECT_EQ(track.at(1.9).translation[0], 0);
}

}  // namespace
}  // namespace mote::fourdgs
