// Missing, odd and broken datasets, photographs, masks and poses.
#include <fmt/format.h>

#include <fstream>

#include "hostile_case.h"
#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"

namespace mote::hostile {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTrain{"train", "data",         "-o", "out",        "--steps",
                                      "3",     "--max-splats", "80", "--progress", "none"};

std::vector<std::string> train_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = kTrain;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Arrange without(const std::string& name) {
  return [=](const fs::path& folder) { fs::remove_all(folder / name); };
}

/// The file with `from` replaced by `to`, everywhere.
Arrange replaced(const std::string& name, const std::string& from, const std::string& to) {
  return [=](const fs::path& folder) {
    std::string text = text_of(folder / name);
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    write_bytes(folder / name, text);
  };
}

Arrange without_permission(const std::string& name) {
  return [=](const fs::path& folder) { fs::permissions(folder / name, fs::perms::none); };
}

/// cameras.txt with one SIMPLE_RADIAL lens for all photographs.
Arrange radial_lens(const std::string& k1) {
  return [=](const fs::path& folder) {
    std::string text;
    for (int camera = 1; camera <= 12; ++camera) {
      text += fmt::format("{} SIMPLE_RADIAL 64 48 60 32 24 {}\n", camera, k1);
    }
    write_bytes(folder / "data/sparse/0/cameras.txt", text);
  };
}

/// images.txt without the empty lines of points.
void pose_lines_alone(const fs::path& folder) {
  const fs::path path = folder / "data/sparse/0/images.txt";
  std::ifstream lines(path);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) kept += line + "\n";
  }
  lines.close();
  write_bytes(path, kept);
}

void a_name_of_two_lines(const fs::path& folder) {
  fs::rename(folder / "data/images/view_03.png", folder / "data/images/view\n03.png");
}

}  // namespace

std::span<const Case> dataset_cases() {
  static const std::vector<Case> kCases{
      {"AMissingDatasetIsNamed", {"train", "nowhere", "-o", "out"}, 1, "nowhere"},
      {"ASceneIsNoDataset", {"train", "scene.ply", "-o", "out"}, 1, "scene\\.ply"},
      {"AnEmptyFolderIsNoDataset",
       {"train", "empty", "-o", "out"},
       1,
       "empty",
       {},
       [](const fs::path& folder) { fs::create_directory(folder / "empty"); }},
      {"ADatasetWithoutItsPhotographsIsNamed",
       kTrain,
       1,
       "images|view_00",
       {},
       without("data/images")},
      {"OneMissingPhotographIsLeftOutWithAWarning",
       {"info", "data"},
       0,
       "view_05\\.png",
       {},
       without("data/images/view_05.png")},
      {"ADamagedPhotographIsLeftOutWithAWarning",
       {"info", "data"},
       0,
       "view_05\\.png",
       {},
       file("data/images/view_05.png", "\x89PNG\r\n\x1a\n and nothing more")},
      {"APipeAmongThePhotographsIsNamed",
       {"info", "data"},
       0,
       "view_05\\.png",
       {},
       fifo("data/images/view_05.png")},
      {"APipeInPlaceOfPosesIsNamed",
       kTrain,
       1,
       "sparse/0/images\\.txt: is a named pipe",
       {},
       fifo("data/sparse/0/images.txt")},
      {"APipeInPlaceOfTransformsIsNamed",
       {"info", "transforms.json"},
       1,
       "transforms\\.json",
       {},
       fifo("transforms.json")},
      {"PosesThatAreNoNumbersAreNamedWithTheirLine",
       kTrain,
       1,
       "images\\.txt.*line",
       {},
       replaced("data/sparse/0/images.txt", "view_00.png",
                "view_00.png\n\nfour 1 0 0 0 0 0 0 1 x.png")},
      {"PosesWithoutTheirLinesOfPointsLoseNoPhotograph",
       {"info", "data"},
       0,
       "12 of 12",
       {},
       pose_lines_alone},
      {"ACameraModelThatNobodyKnowsIsNamed",
       kTrain,
       1,
       "cameras\\.txt.*KALEIDOSCOPE",
       {},
       replaced("data/sparse/0/cameras.txt", "PINHOLE", "KALEIDOSCOPE")},
      {"AFocalLengthOfZeroIsRefused",
       kTrain,
       1,
       "cameras\\.txt",
       {},
       file("data/sparse/0/cameras.txt", "1 PINHOLE 64 48 0 0 32 24\n")},
      {"ALensBeyondAllLensesIsRefused",
       {"info", "data"},
       1,
       "1e\\+?29|k1|lens",
       {},
       radial_lens("1e29")},
      {"ALensThatIsNotANumberIsRefused",
       {"info", "data"},
       1,
       "cameras\\.txt",
       {},
       radial_lens("nan")},
      {"TransformsCutShortAreNamed",
       {"info", "t.json"},
       1,
       "t\\.json",
       {},
       file("t.json", "{\"frames\": [{\"file_path\": \"a.png\", ")},
      {"TransformsNestedWithoutEndAreRefused",
       {"info", "t.json"},
       1,
       "t\\.json",
       {},
       file("t.json", std::string(100000, '['))},

      {"MasksOfWhichNoneMatchesAreRefused",
       train_with({"--masks", "masks"}),
       1,
       "masks.*view_00",
       {},
       file("masks/other.png", "")},
      {"AMissingFolderOfMasksIsRefused", train_with({"--masks", "nowhere"}), 1, "nowhere"},
      {"AFileInPlaceOfAFolderOfMasksIsRefused", train_with({"--masks", "scene.ply"}), 1,
       "scene\\.ply"},
      {"AFolderOfMasksWithoutPermissionIsRefused",
       train_with({"--masks", "masks"}),
       1,
       "masks.*permission",
       {},
       [](const fs::path& folder) {
         write_bytes(folder / "masks/view_00.png", "");
         fs::permissions(folder / "masks", fs::perms::none);
       },
       {},
       400,
       30,
       true},
      {"PosesWithoutPermissionAreNamed",
       {"info", "data"},
       1,
       "permission",
       {},
       without_permission("data/sparse"),
       {},
       400,
       30,
       true},
      {"PhotographsWithoutPermissionAreNamed",
       {"info", "data"},
       1,
       "permission",
       {},
       without_permission("data/images"),
       {},
       400,
       30,
       true},
      {"ANameOfTwoLinesIsNamed", {"info", "data"}, 0, "view_03", {}, a_name_of_two_lines},

      {"AFolderWithoutPhotographsIsNotImported",
       {"import", "data/sparse", "-o", "out"},
       1,
       "data/sparse.*photographs"},
      {"AnImportWithoutColmapSaysSoFirst",
       {"import", "data/images", "-o", "out", "--colmap", "nowhere/colmap"},
       1,
       "install COLMAP"},
      {"AnImportByWhatIsNoColmapSaysSo",
       {"import", "data/images", "-o", "out", "--colmap", "/bin/false"},
       1,
       "COLMAP"},
  };
  return kCases;
}

}  // namespace mote::hostile
