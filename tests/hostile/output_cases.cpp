// Results that would replace existing files, and folders that cannot be written.
#include <fstream>

#include "hostile_case.h"
#include "support/dataset_fixture.h"

namespace mote::hostile {
namespace {

namespace fs = std::filesystem;

using Arrange = std::function<void(const fs::path&)>;

Arrange file(const std::string& name, const std::string& text) {
  return [=](const fs::path& folder) { write_bytes(folder / name, text); };
}

std::vector<std::string> train_into(const std::string& out,
                                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"train", "data",         "-o", out,          "--steps",
                                 "3",     "--max-splats", "80", "--progress", "none"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void no_writing(const fs::path& folder) {
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec |
                                         fs::perms::others_read | fs::perms::others_exec);
}

}  // namespace

std::span<const Case> output_cases() {
  static const std::vector<Case> kCases{
      {"AFileInPlaceOfTheFolderOfARunIsKept",
       train_into("mine"),
       1,
       "mine",
       {},
       file("mine", "a text")},
      {"CamerasOfTheUserAreKept",
       train_into("out"),
       1,
       "out.*cameras\\.json",
       {},
       file("out/cameras.json", "mine")},
      {"CamerasOfTheUserAreKeptByForce",
       train_into("out", {"-y"}),
       1,
       "out.*cameras\\.json",
       {},
       file("out/cameras.json", "mine")},
      {"MetricsOfTheUserAreKept",
       train_into("out"),
       1,
       "out.*metrics\\.csv",
       {},
       file("out/metrics.csv", "mine")},
      {"ALogOfTheUserIsKept",
       train_into("out"),
       1,
       "out.*train\\.log",
       {},
       file("out/train.log", "mine")},
      {"StatisticsOfTheUserAreKept",
       train_into("out"),
       1,
       "out.*stats\\.json",
       {},
       file("out/stats.json", "mine")},
      {"NotesInTheFolderOfARunStay",
       train_into("out", {"-y"}),
       0,
       "splat_3\\.ply",
       {"out/"},
       file("out/remarks.txt", "mine")},
      {"PhotographsAreNeverReplacedByPictures",
       {"render", "scene.ply", "--cameras", "data", "-o", "data/images"},
       1,
       "data/images: contains inputs of this command"},
      {"PhotographsAreNeverReplacedByPicturesByForce",
       {"-y", "render", "scene.ply", "--cameras", "data", "-o", "data/images"},
       1,
       "data/images: contains inputs of this command"},
      {"ASceneIsNotReplacedByANumber",
       {"bench", "scene.ply", "--size", "64x48", "--frames", "1", "--json", "other.ply"},
       1,
       "other\\.ply.*exists",
       {},
       file("other.ply", "mine")},
      {"ASceneIsNeverItsOwnReport",
       {"-y", "bench", "scene.ply", "--size", "64x48", "--frames", "1", "--json", "scene.ply"},
       1,
       "scene\\.ply"},
      {"ASceneIsNotReplacedByItsConversion",
       {"convert", "scene.ply", "other.ply"},
       1,
       "other\\.ply.*exists",
       {},
       file("other.ply", "mine")},
      {"ASceneIsNeverConvertedIntoItself",
       {"-y", "convert", "scene.ply", "scene.ply"},
       1,
       "scene\\.ply"},
      {"ASceneIsNeverConvertedIntoALinkToItself",
       {"-y", "convert", "scene.ply", "link.ply"},
       1,
       "link\\.ply",
       {},
       [](const fs::path& folder) { fs::create_symlink("scene.ply", folder / "link.ply"); }},
      {"AVideoDoesNotReplaceAVideo",
       {"render", "scene.ply", "--orbit", "2", "--size", "64x48", "-o", "mine.mp4"},
       1,
       "mine\\.mp4.*exists",
       {},
       file("mine.mp4", "mine")},
      {"AnEvaluationDoesNotReplaceMetrics",
       {"eval", "scene.ply", "data", "-o", "mine"},
       1,
       "metrics\\.json",
       {},
       file("mine/metrics.json", "mine")},
      {"AFolderThatMayNotBeWrittenToIsNamed",
       train_into("closed/out"),
       1,
       "closed/out: .*Permission denied",
       {},
       no_writing,
       {},
       400,
       30,
       true},
      {"AFolderThatMayNotBeWrittenToGetsNoScene",
       {"convert", "scene.ply", "closed/b.ply"},
       1,
       "closed/b\\.ply.*may write",
       {},
       no_writing,
       {},
       400,
       30,
       true},
      {"AFolderThatMayNotBeWrittenToGetsNoCloud",
       {"synth", "cloud", "-o", "closed/a.nvdb", "--voxels", "16"},
       1,
       "closed/a\\.nvdb.*may write",
       {},
       no_writing,
       {},
       400,
       30,
       true},
      {"AMissingFolderIsNamed",
       {"convert", "scene.ply", "nowhere/b.ply"},
       1,
       "nowhere/b\\.ply.*folder"},
      {"ANameTooLongIsNamed",
       {"convert", "scene.ply", std::string(300, 'n') + ".ply"},
       1,
       "[Nn]ame too long.*shorter"},
      {"AFullDeviceIsNoFile", {"convert", "scene.ply", "/dev/full"}, 1, "/dev/full"},
  };
  return kCases;
}

}  // namespace mote::hostile
