// `mote import` of several synchronised videos, with a fake COLMAP.
#include <fmt/format.h>

#include <algorithm>

#include "import_fixture.h"
#include "io/datasets/point_ply.h"
#include "io/datasets/video_rig.h"
#include "io/video/video.h"
#include "support/dataset_fixture.h"

namespace mote {
namespace {

class RigImport : public ImportCommand {
 protected:
  /// A second of video at 10 frames per second.
  void write_video(const std::string& name, int frames = 10) const {
    fs::create_directories(path("photos"));
    VideoWriter writer(path("photos/" + name),
                       {.width = 64, .height = 48, .frames_per_second = 10, .crf = 30});
    for (int i = 0; i < frames; ++i) {
      writer.add(pattern_image(64, 48, 3, static_cast<std::uint32_t>(i)));
    }
    writer.commit();
  }
  void write_videos() const {
    for (const char* name : {"cam 2.mp4", "cam 10.mp4", "left.mp4"}) write_video(name);
  }
  /// A COLMAP that places three cameras and finds two points in each moment.
  std::string rig_colmap(const std::string& body = "") const {
    return write_colmap(
        "before=\nfor word; do\n  [ \"$before\" = --input_path ] && input=$word\n  before=$word\n"
        "done\n" +
            body +
            "\n[ \"$1\" = model_converter ] && cp \"$input\"/* \"$out\"\n"
            "[ \"$1\" = point_triangulator ] && printf '1 0.5 1 2 10 20 30 0.1 1 0\\n"
            "2 1 0 0 40 50 60 0.1 1 1\\n' > \"$out/points3D.txt\"\n",
        {3}, {"0000.jpg", "0001.jpg", "0002.jpg"});
  }
  std::vector<std::string> words(const std::string& colmap) const {
    std::vector<std::string> all = import_words(colmap);
    all.insert(all.end(), {"--keyframe-interval", "0.5", "--progress", "none"});
    return all;
  }
  std::ptrdiff_t count_of(const std::string& command) const {
    const std::string all = calls();
    std::ptrdiff_t count = 0;
    for (std::size_t at = 0; (at = all.find(command + " ", at)) != std::string::npos; ++at) ++count;
    return count;
  }
};

TEST_F(RigImport, MakesADatasetWithPointsOfEachMoment) {
  write_videos();
  const Outcome outcome = run(words(rig_colmap()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("3 of 3 photographs with poses, 4 points"), std::string::npos)
      << outcome.out;
  for (const char* name : {"cam 2.mp4", "cam 10.mp4", "left.mp4"}) {
    EXPECT_TRUE(fs::equivalent(path(std::string("out/videos/") + name),
                               path(std::string("photos/") + name)));
  }
  std::vector<std::string> warnings;
  const PointCloud points = read_point_ply(path("out/points.ply"), warnings);
  EXPECT_EQ(points.times_s, (std::vector<double>{0, 0, 0.5, 0.5}));
  EXPECT_EQ(points.positions[2], glm::dvec3(0.5, 1, 2));
  EXPECT_EQ(points.colors[3], (std::array<std::uint8_t, 3>{40, 50, 60}));
  const Outcome info = run({"info", path("out")});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_NE(info.out.find("EasyVolcap"), std::string::npos) << info.out;
  EXPECT_FALSE(fs::exists(path("out/import.partial")));
  // The cameras have their own intrinsics, and poses are held while points are found.
  EXPECT_NE(calls().find("--ImageReader.single_camera 0"), std::string::npos);
  EXPECT_EQ(count_of("mapper"), 1);
  EXPECT_EQ(count_of("point_triangulator"), 2);
  EXPECT_EQ(count_of("feature_extractor"), 3);
}

TEST_F(RigImport, ContinuesAfterTheMomentsThatWereDone) {
  write_videos();
  const std::string colmap =
      rig_colmap("[ \"$1\" = point_triangulator ] && case \"$out\" in *00001*) [ -e '" +
                 path("well") + "' ] || exit 3;; esac");
  const Outcome first = run(words(colmap));
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_NE(first.err.find("point_triangulator"), std::string::npos) << first.err;
  EXPECT_FALSE(fs::exists(path("out/points.ply")));
  write_file("well", "");
  fs::remove(path("calls.txt"));
  const Outcome second = run(words(colmap));
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(count_of("feature_extractor"), 1) << "only of the second moment";
  EXPECT_EQ(count_of("point_triangulator"), 1);
  std::vector<std::string> warnings;
  EXPECT_EQ(read_point_ply(path("out/points.ply"), warnings).positions.size(), 4u);
  // Other moments are not those of the earlier import.
  std::vector<std::string> finer = words(colmap);
  finer.insert(finer.end(), {"--keyframe-interval", "0.3", "-y"});
  const Outcome third = run(finer);
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_EQ(read_point_ply(path("out/points.ply"), warnings).positions.size(), 8u);
}

TEST_F(RigImport, PointsOfOtherPosesAreNotKept) {
  write_videos();
  const std::string colmap =
      rig_colmap("[ \"$1\" = point_triangulator ] && case \"$out\" in *00001*) [ -e '" +
                 path("well") + "' ] || exit 3;; esac");
  // The mapper's poses of three cameras at z = 0, `step` and 2 `step`, turned about z.
  const auto place = [&](double step, double quaternion_z) {
    std::string list;
    for (int i = 0; i < 3; ++i) {
      list += fmt::format("{} 1 0 0 {} 0 0 {} 1 000{}.jpg\n\n", i + 1, quaternion_z, -i * step, i);
    }
    write_file("model_0/images.txt", list);
  };
  EXPECT_EQ(run(words(colmap)).exit_code, 1);
  const auto go_on = [&] {
    fs::remove(path("calls.txt"));
    return run(words(colmap));
  };
  place(-1.00001, 1e-6);  // as closely as bundle adjustment repeats it
  EXPECT_EQ(go_on().err.find("searched again"), std::string::npos);
  EXPECT_EQ(count_of("point_triangulator"), 1);
  place(-1.01, 0);
  EXPECT_NE(go_on().err.find("the points of 1 moment are searched again"), std::string::npos);
  EXPECT_EQ(count_of("point_triangulator"), 2);
  place(-1.01, 1e-3);
  write_file("well", "");
  const Outcome last = go_on();
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_NE(last.err.find("searched again"), std::string::npos);
  EXPECT_EQ(count_of("point_triangulator"), 2);
  std::vector<std::string> warnings;
  EXPECT_EQ(read_point_ply(path("out/points.ply"), warnings).positions.size(), 4u);
}

TEST_F(RigImport, IsProposedWhereItIsNeeded) {
  write_videos();
  expect_refusal({"train", path("photos"), "-o", path("run")}, 1, {"videos", "mote import"});
  ImportOptions options;
  options.colmap = rig_colmap();
  const ImportOutlook outlook = import_outlook(path("photos"), path("out"), options);
  EXPECT_EQ(outlook.fault, "");
  EXPECT_EQ(outlook.videos, 3u);
}

TEST_F(RigImport, ReplacesNoFilesOfTheUser) {
  write_videos();
  const std::string colmap = rig_colmap();
  write_bytes(path("out/intri.yml"), "mine");
  std::vector<std::string> all = words(colmap);
  expect_refusal(all, 1, {"not empty"});
  all.emplace_back("-y");
  expect_refusal(all, 1, {"intri.yml", "did not write it"});
  EXPECT_EQ(text_of(path("out/intri.yml")), "mine");
}

TEST_F(RigImport, RefusesTwoVideosOfOneNameAndBrokenOnes) {
  write_videos();
  fs::copy_file(path("photos/left.mp4"), path("photos/left.mkv"));
  expect_refusal(words(rig_colmap()), 1, {"two videos are called left"});
  fs::remove(path("photos/left.mkv"));
  write_bytes(path("photos/left.mp4"), "no video");
  expect_refusal(words(rig_colmap()), 1, {"left.mp4"});
}

TEST_F(RigImport, RefusesMasks) {
  write_videos();
  std::vector<std::string> all = words(rig_colmap());
  all.insert(all.end(), {"--masks", path("photos")});
  expect_refusal(all, 2, {"--masks", "not for several videos", "leave them out"});
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(RigImport, TakesTheTimesThatAllVideosShow) {
  write_videos();
  write_video("short.mp4", 4);
  const std::vector<RigVideo> videos = list_rig_videos(path("photos"));
  ASSERT_EQ(videos.size(), 4u);
  EXPECT_EQ(videos[0].name, "cam 2") << "in natural order";
  EXPECT_EQ(videos[1].name, "cam 10");
  const std::vector<double> times_s = common_times(videos, 0.1);
  ASSERT_EQ(times_s.size(), 4u);
  EXPECT_NEAR(times_s.back(), 0.3, 1e-9);
  write_bytes(path("photos/a.jpg"), jpeg_bytes(32, 24, 1));
  EXPECT_FALSE(is_video_rig(path("photos"))) << "photographs are imported as such";
}

}  // namespace
}  // namespace mote
