// `mote import` with a COLMAP of our own making, which does what a test needs: succeeds, fails in
// every known way, or hangs.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "io/colmap_run.h"
#include "io/image_files.h"
#include "program_fixture.h"

namespace mote {
namespace {

TEST(ColmapProgress, IsReadFromItsLines) {
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

class ImportCommand : public Program {
 protected:
  void write_photos(const std::vector<std::string>& names, int width = 32) const {
    fs::create_directories(path("photos"));
    Image image;
    image.resize_discard(width, 24, 3);
    for (float& value : image.pixels.span()) value = 0.5f;
    for (const std::string& name : names) write_png(image, path("photos/" + name));
  }

  /// A program that runs `body` with $1 the command, and puts all arguments into calls.txt.
  /// After it, the mapper writes the models that `registered` counts the images of.
  std::string write_colmap(const std::string& body, const std::vector<int>& registered) const {
    std::string script = "#!/bin/sh\necho \"$@\" >> '" + path("calls.txt") + "'\n" +
                         "echo \"platform $QT_QPA_PLATFORM\"\n" + body + "\n";
    script +=
        "out=; previous=\nfor word; do [ \"$previous\" = --output_path ] && out=$word; "
        "previous=$word; done\n";
    for (std::size_t i = 0; i < registered.size(); ++i) {
      const std::string folder = "\"$out/" + std::to_string(i) + "\"";
      script += "if [ \"$1\" = mapper ]; then mkdir -p " + folder + "; cp -r '" +
                path("model_" + std::to_string(i)) + "'/* " + folder + "; fi\n";
      write_model(path("model_" + std::to_string(i)), registered[i]);
    }
    const std::string program = write_file("colmap.sh", script);
    fs::permissions(program, fs::perms::owner_all);
    return program;
  }

  /// A model in text, with an empty point file in binary for its count.
  static void write_model(const fs::path& folder, int images) {
    fs::create_directories(folder);
    std::ofstream(folder / "cameras.txt") << "1 PINHOLE 32 24 30 30 16 12\n";
    std::ofstream list(folder / "images.txt");
    for (int i = 0; i < images; ++i) {
      list << i + 1 << " 1 0 0 0 0 0 " << i << " 1 photo " << i << ".png\n\n";
    }
    std::ofstream(folder / "points3D.bin", std::ios::binary) << std::string("\5\0\0\0\0\0\0\0", 8);
  }

  std::vector<std::string> import_words(const std::string& colmap) const {
    return {"import", path("photos"), "-o", path("out"), "--colmap", colmap};
  }
};

const std::vector<std::string> kFour{"a 1.png", "b.png", "grün.png", "日本.png"};

TEST_F(ImportCommand, TheDatasetHasLinksModelAndLog) {
  write_photos(kFour);
  const std::string colmap = write_colmap("echo 'Processed file [1/4]'", {4});
  const Outcome outcome = run(import_words(colmap));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 of 4 photographs with poses, 5 points"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
  for (const std::string& name : kFour) {
    EXPECT_TRUE(fs::equivalent(path("out/images/" + name), path("photos/" + name)));
  }
  EXPECT_TRUE(fs::exists(path("out/sparse/0/images.txt")));
  const std::string log = text_of(path("out/colmap.log"));
  EXPECT_NE(log.find("Processed file [1/4]"), std::string::npos);
  EXPECT_NE(log.find("platform offscreen"), std::string::npos);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(path("out"))) {
    left.push_back(entry.path().filename().string());
  }
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"colmap.log", "images", "sparse"}));
}

TEST_F(ImportCommand, ColmapIsToldToWorkWithoutAGpuAndWithOneCamera) {
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

TEST_F(ImportCommand, PhotographsOfSeveralSizesHaveCamerasOfTheirOwn) {
  write_photos({"a.png", "b.png"});
  write_photos({"c.png"}, 40);
  auto words = import_words(write_colmap("", {3}));
  words.insert(words.end(), {"--matcher", "sequential"});
  ASSERT_EQ(run(words).exit_code, 0);
  const std::string calls = text_of(path("calls.txt"));
  EXPECT_NE(calls.find("--ImageReader.single_camera 0"), std::string::npos);
  EXPECT_NE(calls.find("sequential_matcher"), std::string::npos);
}

TEST_F(ImportCommand, TheLargestModelComesFirstAndWhatIsMissingIsSaid) {
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
  EXPECT_NE(outcome.err.find("2 of its files skipped"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("out/images/notes.txt")));
}

TEST_F(ImportCommand, FailuresOfColmapBecomeAdvice) {
  write_photos(kFour);
  struct Case {
    std::string body;
    std::vector<std::string> phrases;
  };
  const Case cases[] = {
      {"[ $1 = feature_extractor ] && kill -9 $$", {"killed", "memory", "--max-image-size"}},
      {"[ $1 = exhaustive_matcher ] && kill -11 $$", {"crashed with signal 11", "colmap.log"}},
      {"[ $1 = mapper ] && echo 'No good initial image pair found.' && exit 1",
       {"no two photographs", "different places"}},
      {"[ $1 = mapper ] && echo 'some reason' && exit 3",
       {"exit code 3", "some reason", "colmap.log"}},
      {"echo \"unrecognised option '--SiftExtraction.use_gpu'\"; exit 1", {"flag", "--colmap"}},
      {"for i in 1 2 3 4; do echo '  Features:        12'; done",
       {"hardly any features", "4 of 4", "texture"}},
      {"", {"made no model", "colmap.log"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.body);
    auto words = import_words(write_colmap(one.body, {}));
    words.emplace_back("-y");
    expect_refusal(words, 1, one.phrases);
    EXPECT_TRUE(fs::exists(path("out/colmap.log")));
    EXPECT_FALSE(fs::exists(path("out/sparse/0")));
  }
}

TEST_F(ImportCommand, WrongInputIsNamedWithItsRemedy) {
  write_photos({"a.png"});
  const std::string colmap = write_colmap("", {4});
  expect_refusal(import_words(colmap), 1, {"1 photograph,", "photos"});
  write_photos(kFour);
  expect_refusal(import_words(path("no-colmap")), 1, {"no-colmap", "apt-get install colmap"});
  fs::create_directories(path("empty/below"));
  const std::string file = write_file("file.txt", "x");
  expect_refusal({"import", path("empty"), "-o", path("o2")}, 1, {"no photographs", "subfolder"});
  expect_refusal({"import", file, "-o", path("o2")}, 1, {"file.txt", "not a folder"});
  expect_refusal({"import", path("none"), "-o", path("o2")}, 1, {"none", "does not exist"});
  expect_refusal({"import", path("photos"), "-o", file}, 1, {"file.txt", "folder"});
  expect_refusal({"import", path("photos"), "-o", path("photos")}, 1, {"not empty", "-y"});
  expect_refusal({"import", path("photos")}, 2, {"--out"});
  expect_refusal({"import", path("photos"), "-o", path("o2"), "--matcher", "psychic"}, 2,
                 {"psychic", "exhaustive"});
  EXPECT_FALSE(fs::exists(path("o2")));
}

TEST_F(ImportCommand, ADatasetMayBeImportedAgainFromItsOwnImages) {
  write_photos(kFour);
  const std::string colmap = write_colmap("", {4});
  ASSERT_EQ(run(import_words(colmap)).exit_code, 0);
  const Outcome again =
      run({"import", path("out/images"), "-o", path("out"), "--colmap", colmap, "-y"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_image_size(path("out/images/b.png")).width, 32);
}

TEST_F(ImportCommand, InterruptedItEndsColmapAndSaysWhatStays) {
  write_photos(kFour);
  const pid_t child =
      start(import_words(write_colmap("echo $$ > '" + path("pid") + "'; exec sleep 1000", {4})));
  siginfo_t ended{};
  std::string id;
  while (id.find('\n') == std::string::npos && ended.si_pid == 0) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    id = fs::exists(path("pid")) ? text_of(path("pid")) : "";
  }
  ::kill(child, SIGINT);
  const Outcome outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("import again with -y"), std::string::npos) << outcome.err;
  ASSERT_FALSE(id.empty());
  EXPECT_EQ(::kill(std::stoi(id), 0), -1);
}

}  // namespace
}  // namespace mote
