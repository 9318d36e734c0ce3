// `mote import`: the arguments for COLMAP, and the content of the dataset. Failures are tested in
// import_faults_test.cpp.
#include "import_fixture.h"
#include "io/datasets/colmap_run.h"
#include "io/datasets/video_frames.h"
#include "io/images/orientation.h"
#include "support/dataset_fixture.h"
#include "support/files/exif_fixture.h"

namespace mote {
namespace {

TEST(ColmapProgress, IsParsedFromItsOutput) {
  EXPECT_DOUBLE_EQ(colmap_progress("Processed file [3/12]", 12), 0.25);
  EXPECT_DOUBLE_EQ(colmap_progress("I20240101 12:00:00 Processed file [12/12]", 12), 1);
  EXPECT_DOUBLE_EQ(colmap_progress("Matching image [6/12]", 12), 0.5);
  EXPECT_DOUBLE_EQ(colmap_progress("Matching block [1/1, 1/1] in 2.1s", 12), 1);
  EXPECT_DOUBLE_EQ(colmap_progress("Matching block [2/4, 1/2]", 12), 0.375);
  EXPECT_DOUBLE_EQ(colmap_progress("Registering image #17 (6)", 12), 0.5);
  EXPECT_DOUBLE_EQ(colmap_progress("Registering image #17 (99)", 12), 1);
  for (const char* line : {"", "Name: a.jpg", "Processed file [", "Processed file [x/y]",
                           "Processed file [1/0]", "Matching block [", "Matching block [1/2]",
                           "Registering image #", "Registering image #4"}) {
    EXPECT_LT(colmap_progress(line, 12), 0) << line;
  }
}

TEST_F(ImportCommand, TheDatasetContainsLinksModelAndLog) {
  write_photos(kFour);
  const std::string colmap = write_colmap("echo 'Processed file [1/4]'", {4});
  const Outcome outcome = run(import_words(colmap));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 of 4 photographs with poses, 5 points"), std::string::npos);
  EXPECT_EQ(outcome.out.find("--frame-rate"), std::string::npos) << "only for videos";
  EXPECT_EQ(outcome.err, "");
  for (const std::string& name : kFour) {
    EXPECT_TRUE(fs::equivalent(path("out/images/" + name), path("photos/" + name)));
  }
  EXPECT_TRUE(fs::exists(path("out/sparse/0/images.txt")));
  const std::string log = text_of(path("out/colmap.log"));
  EXPECT_NE(log.find("Processed file [1/4]"), std::string::npos);
  EXPECT_NE(log.find("platform offscreen"), std::string::npos);
  EXPECT_EQ(names_in("out"),
            (std::vector<std::string>{"colmap.log", "images", "import.json", "sparse"}));
}

/// Writes a fake ffmpeg that puts these files as frames, and appends its arguments to calls.txt.
std::string ffmpeg_of(const std::string& folder, const std::string& body) {
  return "#!/bin/sh\n[ \"$1\" = -version ] && { echo 'ffmpeg version 6 of a test'; exit 0; }\n"
         "echo \"$@\" >> '" +
         folder + "/calls.txt'\nfor out; do :; done\nout=$(dirname \"${out#file:}\")\n" + body +
         "\n";
}

TEST_F(ImportCommand, TakesFramesOutOfAVideo) {
  write_file("walk.MP4", "not looked at by the fake program");
  for (int i = 1; i <= 4; ++i) {
    write_bytes(path("frames/frame_0000" + std::to_string(i) + ".jpg"),
                jpeg_bytes(32, 24, static_cast<std::uint32_t>(i)));
  }
  const std::string ffmpeg = write_program(
      "ffmpeg.sh",
      ffmpeg_of(path(""), "echo '  Duration: 00:00:02.00, start: 0'\necho 'frame=4'\ncp '" +
                              path("frames") + "'/* \"$out\""));
  const std::vector<std::string> words{
      "import",   path("walk.MP4"), "-o",          path("out"), "--colmap", write_colmap("", {4}),
      "--ffmpeg", ffmpeg,           "--video-fps", "1.5"};
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(calls().find("-vf fps=1.5"), std::string::npos) << calls();
  EXPECT_NE(outcome.out.find("mote train " + path("out") + " --frame-rate 1.5 --motion field\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(names_in("out"),
            (std::vector<std::string>{"colmap.log", "images", "import.json", "sparse"}));
  EXPECT_EQ(names_in("out/images"),
            (std::vector<std::string>{"frame_00001.jpg", "frame_00002.jpg", "frame_00003.jpg",
                                      "frame_00004.jpg"}));
}

TEST_F(ImportCommand, SaysWhatIsWrongWithAVideo) {
  write_file("walk.mp4", "");
  const std::string colmap = write_colmap("", {4});
  const std::vector<std::string> words{"import",    path("walk.mp4"), "-o",
                                       path("out"), "--colmap",       colmap};
  const auto with = [&](const std::string& ffmpeg) {
    auto all = words;
    all.insert(all.end(), {"--ffmpeg", ffmpeg});
    return all;
  };
  expect_refusal(with(path("nothing")), 1, {"nothing", "apt-get install ffmpeg"});
  expect_refusal(with(write_program("not_it.sh", "#!/bin/sh\necho hello\n")), 1,
                 {"is not ffmpeg", "apt-get install ffmpeg"});
  EXPECT_FALSE(fs::exists(path("out")));
  const std::string broken =
      write_program("ffmpeg.sh", ffmpeg_of(path(""), "echo 'Invalid data found'; exit 183"));
  expect_refusal(with(broken), 1, {"walk.mp4", "Invalid data found"});
  const std::string empty = write_program("empty.sh", ffmpeg_of(path(""), ":"));
  expect_refusal(with(empty), 1, {"contains no photographs"});
  auto missing = words;
  missing[1] = path("none.mov");
  expect_refusal(missing, 1, {"none.mov", "does not exist"});
}

TEST_F(ImportCommand, UsesTheFeaturesOfAVideoAgain) {
  write_file("walk.mp4", "");
  for (int i = 1; i <= 4; ++i) {
    write_bytes(path("frames/frame_0000" + std::to_string(i) + ".jpg"),
                jpeg_bytes(32, 24, static_cast<std::uint32_t>(i)));
  }
  const std::string ffmpeg =
      write_program("ffmpeg.sh", ffmpeg_of(path(""), "cp '" + path("frames") + "'/* \"$out\""));
  const auto words = [&](const std::string& colmap) {
    return std::vector<std::string>{"import",   path("walk.mp4"), "-o",       path("out"),
                                    "--colmap", colmap,           "--ffmpeg", ffmpeg};
  };
  EXPECT_EQ(run(words(write_colmap("[ \"$1\" = mapper ] && exit 3", {}))).exit_code, 1);
  fs::remove(path("calls.txt"));
  const Outcome again = run(words(write_colmap("", {4})));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(calls().find("feature_extractor"), std::string::npos);
}

TEST(VideoDuration, IsParsedFromTheOutputOfFfmpeg) {
  EXPECT_DOUBLE_EQ(duration_in("  Duration: 01:02:03.50, start: 0.000000, bitrate: 1 kb/s"),
                   3723.5);
  EXPECT_LT(duration_in("  Duration: N/A, start: 0"), 0);
  EXPECT_LT(duration_in("frame=3"), 0);
  EXPECT_LT(duration_in("Duration: "), 0);
}

TEST_F(ImportCommand, ColmapUsesNoGpuAndOneCamera) {
  write_photos(kFour);
  const std::string colmap = write_colmap("", {4});
  auto words = import_words(colmap);
  words.insert(words.end(), {"--max-image-size", "1000", "--camera-model", "RADIAL"});
  ASSERT_EQ(run(words).exit_code, 0);
  const std::string calls = text_of(path("calls.txt"));
  for (const char* part :
       {"feature_extractor ", "--SiftExtraction.use_gpu 0", "--SiftMatching.use_gpu 0",
        "--ImageReader.single_camera 1", "--ImageReader.camera_model RADIAL", "max_image_size 1000",
        "max_num_features 4096", "--ExhaustiveMatching.block_size 2", "exhaustive_matcher ",
        "mapper "}) {
    EXPECT_NE(calls.find(part), std::string::npos) << part;
  }
}

TEST_F(ImportCommand, PhotographsOfSeveralSizesGetOneCameraEach) {
  write_photos({"a.png", "b.png"});
  write_photos({"c.png"}, 40);
  auto words = import_words(write_colmap("", {3}));
  words.insert(words.end(), {"--matcher", "sequential"});
  ASSERT_EQ(run(words).exit_code, 0);
  const std::string calls = text_of(path("calls.txt"));
  EXPECT_NE(calls.find("--ImageReader.single_camera 0"), std::string::npos);
  EXPECT_NE(calls.find("sequential_matcher"), std::string::npos);
}

TEST_F(ImportCommand, TheLargestModelComesFirstAndMissingPhotographsAreCounted) {
  write_photos(kFour);
  const Outcome outcome = run(import_words(write_colmap("", {2, 3})));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("3 of 4 photographs in the largest of 2"), std::string::npos);
  EXPECT_TRUE(fs::exists(path("out/sparse/1/images.txt")));
  EXPECT_NE(text_of(path("out/sparse/0/images.txt")).find("photo 2.png"), std::string::npos);
}

TEST_F(ImportCommand, OtherFilesAreSkippedWithAWarning) {
  write_photos({"a.png", "b.png", "c.png"});
  write_file("photos/notes.txt", "hello");
  write_file("photos/broken.jpg", "\xff\xd8\xff broken");
  const Outcome outcome = run(import_words(write_colmap("", {3})));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("2 of 5 files are skipped: broken.jpg (damaged JPEG"),
            std::string::npos)
      << outcome.err;
  EXPECT_FALSE(fs::exists(path("out/images/notes.txt")));
}

TEST_F(ImportCommand, ADatasetCanBeImportedAgainFromItsOwnImages) {
  write_photos(kFour);
  const std::string colmap = write_colmap("", {4});
  ASSERT_EQ(run(import_words(colmap)).exit_code, 0);
  const Outcome again =
      run({"import", path("out/images"), "-o", path("out"), "--colmap", colmap, "-y"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_image_size(path("out/images/b.png")).width, 32);
}

TEST_F(ImportCommand, SubfoldersKeepTheirPathsAndGetOneCameraEach) {
  write_photos({"a.png", "cam 1/a.png", "cam 1/deep/b.png", "cam_2/a.png", "masks/a.png",
                "images_4/a.png", ".hidden/a.png"});
  auto words = import_words(write_colmap("", {4}));
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"a.png", "cam 1/a.png", "cam 1/deep/b.png", "cam_2/a.png"}) {
    EXPECT_TRUE(fs::equivalent(path(std::string("out/images/") + name),
                               path(std::string("photos/") + name)));
  }
  EXPECT_EQ(names_in("out/images"), (std::vector<std::string>{"a.png", "cam 1", "cam_2"}));
  EXPECT_NE(outcome.err.find("3 of 4 photographs are in subfolders: cam 1/deep, cam 1, cam_2"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("not searched: images_4, masks"), std::string::npos) << outcome.err;
  EXPECT_NE(calls().find("--ImageReader.single_camera 0"), std::string::npos);
  EXPECT_NE(calls().find("--ImageReader.single_camera_per_folder 1"), std::string::npos);
}

TEST_F(ImportCommand, PhotographsWithAnExifOrientationAreUprightInTheDataset) {
  write_photos({"a.png"});
  const std::string png = text_of(path("photos/a.png"));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string name = path("photos/" + std::to_string(orientation));
    write_bytes(name + ".png", png_with_orientation(png, orientation));
    write_bytes(name + ".jpg", jpeg_with_orientation(jpeg_bytes(64, 48, 1), orientation));
  }
  write_bytes(path("photos/odd.jpg"), jpeg_with_orientation(jpeg_bytes(70, 50, 1), 8));
  const std::string before = text_of(path("photos/6.jpg"));
  const Outcome outcome = run(import_words(write_colmap("", {3})));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("15 photographs with an EXIF orientation are turned upright"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("1 of these lose up to 15 pixels"), std::string::npos);
  for (int orientation = 2; orientation <= 8; ++orientation) {
    for (const char* extension : {".png", ".jpg"}) {
      const std::string name = std::to_string(orientation) + extension;
      SCOPED_TRACE(name);
      EXPECT_EQ(read_orientation(path("out/images/" + name)), 1);
      const Image8 stored = read_image8(path("photos/" + name));
      const Image8 expected = turned(stored, orientation);
      EXPECT_EQ(read_image_size(path("out/images/" + name)).width, expected.width);
      EXPECT_EQ(read_image_size(path("out/images/" + name)).height, expected.height);
    }
  }
  EXPECT_EQ(text_of(path("photos/6.jpg")), before);
  EXPECT_TRUE(fs::equivalent(path("photos/1.jpg"), path("out/images/1.jpg")));
  // An import from the dataset's own images cannot replace them by upright copies.
  write_bytes(path("own/images/6.jpg"), before);
  write_bytes(path("own/images/a.png"), png);
  write_bytes(path("own/images/b.png"), png);
  expect_refusal(
      {"import", path("own/images"), "-o", path("own"), "--colmap", path("colmap.sh"), "-y"}, 1,
      {"6.jpg", "EXIF orientation", "another folder"});
  EXPECT_EQ(text_of(path("own/images/6.jpg")), before);
}

TEST_F(ImportCommand, ExcludedSubfoldersAreReported) {
  write_photos({"a.png", "b.png", "c.png", "cam/a.png"});
  auto words = import_words(write_colmap("", {3}));
  words.insert(words.end(), {"--subfolders", "no"});
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("not searched: cam"), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in("out/images"), (std::vector<std::string>{"a.png", "b.png", "c.png"}));
}

TEST_F(ImportCommand, ADatasetInThePhotographFolderIsNotImportedAgain) {
  write_photos(kFour);
  const std::vector<std::string> words{
      "import",   path("photos"),        "-o", path("photos/dataset"),
      "--colmap", write_colmap("", {4}), "-y"};
  ASSERT_EQ(run(words).exit_code, 0);
  ASSERT_EQ(run(words).exit_code, 0);
  EXPECT_EQ(names_in("photos/dataset/images"), kFour);
}

TEST_F(ImportCommand, ANewImportReplacesTheEarlierOneAndKeepsOtherFiles) {
  write_photos(kFour);
  const std::string colmap = write_colmap("", {4, 3});
  ASSERT_EQ(run(import_words(colmap)).exit_code, 0);
  write_file("out/remarks.txt", "mine");
  write_file("out/images/mine.txt", "mine");
  write_file("out/sparse/0/mine.txt", "mine");
  fs::remove(path("photos/b.png"));
  auto words = import_words(write_colmap("", {3}));
  expect_refusal(words, 1, {"not empty", "-y"});
  words.emplace_back("-y");
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(names_in("out/images"),
            (std::vector<std::string>{"a 1.png", "grün.png", "mine.txt", "日本.png"}));
  EXPECT_FALSE(fs::exists(path("out/sparse/1")));
  EXPECT_EQ(text_of(path("out/sparse/0/mine.txt")), "mine");
  EXPECT_EQ(text_of(path("out/remarks.txt")), "mine");
}

TEST_F(ImportCommand, FilesNotWrittenByAnImportAreNeverReplaced) {
  write_photos(kFour);
  auto words = import_words(write_colmap("", {4}));
  words.emplace_back("-y");
  fs::create_directories(path("out/images"));
  write_file("out/images/b.png", "mine");
  expect_refusal(words, 1, {"out/images/b.png", "did not write it", "-o"});
  EXPECT_EQ(text_of(path("out/images/b.png")), "mine");
  fs::remove_all(path("out/images"));
  write_model(path("out/sparse/0"), 2);
  expect_refusal(words, 1, {"out/sparse/0", "did not write", "-o"});
  EXPECT_EQ(names_in("out"), std::vector<std::string>{"sparse"});
}

}  // namespace
}  // namespace mote
