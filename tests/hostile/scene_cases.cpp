// Missing, odd and broken scenes, videos of scenes, and scripts.
#include <limits>

#include "hostile_case.h"
#include "io/splats/scene_format.h"
#include "support/files/file_bytes.h"
#include "support/random_cloud.h"

namespace mote::hostile {
namespace {

namespace fs = std::filesystem;

/// scene.ply without its last `bytes`.
Arrange truncated(std::uintmax_t bytes) {
  return [=](const fs::path& folder) {
    const fs::path scene = folder / "scene.ply";
    fs::resize_file(scene, fs::file_size(scene) - bytes);
  };
}

/// The header of a binary .ply that claims this number of splats.
std::string ply_header(const std::string& count) {
  return "ply\nformat binary_little_endian 1.0\nelement vertex " + count +
         "\nproperty float x\nproperty float y\nproperty float z\nproperty float f_dc_0\n"
         "property float f_dc_1\nproperty float f_dc_2\nproperty float opacity\n"
         "property float scale_0\nproperty float scale_1\nproperty float scale_2\n"
         "property float rot_0\nproperty float rot_1\nproperty float rot_2\n"
         "property float rot_3\nend_header\n";
}

/// frames/0.ply, 1.ply and 2.ply; the one in the middle is truncated.
void moving_scene_with_a_broken_frame(const fs::path& folder) {
  fs::create_directories(folder / "frames");
  for (const char* name : {"0.ply", "1.ply", "2.ply"}) {
    save_scene(random_cloud(20, 0, 1), folder / "frames" / name);
  }
  fs::resize_file(folder / "frames" / "1.ply", fs::file_size(folder / "frames" / "1.ply") - 9);
}

/// A scene whose splats are all at the limits of floats.
void far_scene(const fs::path& folder) {
  SplatCloud cloud = random_cloud(10, 0, 1);
  for (std::size_t i = 0; i < cloud.count(); ++i) cloud.at(i, Field::mean_x) = 3e38f;
  save_scene(cloud, folder / "far.ply");
}

void nothing_but_nan(const fs::path& folder) {
  SplatCloud cloud = random_cloud(10, 0, 1);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::mean_y) = std::numeric_limits<float>::quiet_NaN();
  }
  save_scene(cloud, folder / "nan.ply");
}

void link_to_itself(const fs::path& folder) {
  fs::create_symlink("loop.ply", folder / "loop.ply");
}

void no_permission(const fs::path& folder) {
  fs::permissions(folder / "scene.ply", fs::perms::none);
}

}  // namespace

std::span<const Case> scene_cases() {
  static const std::vector<Case> kCases{
      {"AMissingSceneIsNamed", {"info", "nowhere.ply"}, 1, "nowhere\\.ply: cannot be opened"},
      {"AnEmptySceneIsNamed", {"info", "e.ply"}, 1, "e\\.ply: is empty", {}, file("e.ply", "")},
      {"ANoteIsNoScene", {"info", "n.ply"}, 1, "n\\.ply", {}, file("n.ply", "To do: milk\n")},
      {"AFolderWithoutAnythingIsNoScene",
       {"render", "empty", "--orbit", "1", "-o", "out"},
       1,
       "empty",
       {},
       [](const fs::path& folder) { fs::create_directory(folder / "empty"); }},
      {"ASceneCutShortIsNamedWithThePlace",
       {"info", "scene.ply"},
       1,
       "scene\\.ply.*(truncated|announces)",
       {},
       truncated(10)},
      {"ASceneCutShortIsNotConverted",
       {"convert", "scene.ply", "b.spz"},
       1,
       "scene\\.ply.*(truncated|announces)",
       {},
       truncated(10)},
      {"AClaimOfFourBillionSplatsTakesNoMemory",
       {"info", "h.ply"},
       1,
       "h\\.ply",
       {},
       file("h.ply", ply_header("4294967295"))},
      {"AClaimBeyondAllIntegersIsRefused",
       {"info", "h.ply"},
       1,
       "h\\.ply",
       {},
       file("h.ply", ply_header("99999999999999999999"))},
      {"AClaimOfNoSplatsIsRefused",
       {"info", "h.ply"},
       1,
       "h\\.ply",
       {},
       file("h.ply", ply_header("0"))},
      {"ANegativeClaimIsRefused",
       {"info", "h.ply"},
       1,
       "h\\.ply",
       {},
       file("h.ply", ply_header("-5"))},
      {"AHeaderWithoutAnEndIsRefused",
       {"info", "h.ply"},
       1,
       "h\\.ply",
       {},
       file("h.ply", "ply\nformat ascii 1.0\n" + std::string(100000, 'c'))},
      {"AGzipOfNothingIsNoSpz",
       {"info", "h.spz"},
       1,
       "h\\.spz",
       {},
       file("h.spz", std::string("\x1f\x8b\x08\x00", 4) + std::string(40, '\0'))},
      {"ALinkToItselfIsNamed",
       {"info", "loop.ply"},
       1,
       "loop\\.ply: cannot be opened",
       {},
       link_to_itself},
      {"ASceneWithoutPermissionIsNamed",
       {"info", "scene.ply"},
       1,
       "scene\\.ply: cannot be opened.*permission",
       {},
       no_permission,
       {},
       400,
       30,
       true},
      {"ADeviceIsNoScene", {"info", "/dev/zero"}, 1, "/dev/zero: is a .*not a regular file"},
      {"APipeInPlaceOfASceneIsRefused",
       {"info", "p.ply"},
       1,
       "p\\.ply: is a .*not a regular file",
       {},
       fifo("p.ply")},
      {"APipeInPlaceOfAScriptIsRefused",
       {"view", "--offscreen", "--script", "p.txt"},
       1,
       "p\\.txt: is a .*not a regular file",
       {},
       fifo("p.txt")},
      {"APipeInPlaceOfAPathIsRefused",
       {"render", "scene.ply", "--path", "p.json", "-o", "out"},
       1,
       "p\\.json",
       {},
       fifo("p.json")},
      {"APipeInPlaceOfAConfigurationIsRefused",
       {"render", "scene.ply", "--config", "p.json", "-o", "out"},
       1,
       "p\\.json: is a .*not a regular file",
       {},
       fifo("p.json")},
      {"AScriptThatIsMissingIsNamed",
       {"view", "--offscreen", "--script", "nowhere.txt"},
       1,
       "nowhere\\.txt: cannot be opened"},
      {"ASceneThatAScriptCannotOpenFailsTheRun",
       {"view", "--offscreen", "--script", "s.txt"},
       1,
       "nowhere\\.ply",
       {},
       file("s.txt", "open nowhere.ply\nwait loaded\n")},
      {"ASceneThatTheViewerCannotOpenFailsTheScript",
       {"view", "nowhere.ply", "--offscreen", "--script", "s.txt"},
       1,
       "nowhere\\.ply",
       {},
       file("s.txt", "wait still\n")},
      {"ABrokenFrameInTheMiddleIsNamed",
       {"info", "frames"},
       1,
       "1\\.ply.*(truncated|announces)",
       {},
       moving_scene_with_a_broken_frame},

      {"AMoveToInfinityIsRefused",
       {"convert", "scene.ply", "b.ply", "--translate", "1e308,0,0"},
       1,
       "--translate"},
      {"AnEnlargementToInfinityIsRefused",
       {"convert", "far.ply", "b.ply", "--scale", "1000"},
       1,
       "--scale",
       {},
       far_scene},
      {"AMoveThatFloatsCannotHoldIsSaid",
       {"convert", "scene.ply", "b.ply", "--translate", "1e9,0,0"},
       0,
       "100 of 100 splats.*--translate",
       {"b.ply"}},
      {"ASceneOfNothingButNaNIsSaid", {"info", "nan.ply"}, 0, "not finite", {}, nothing_but_nan},
      {"DroppingWhatIsNotFiniteLeavesNothing",
       {"convert", "nan.ply", "b.ply", "--drop-invalid"},
       1,
       "none of its 10 splats",
       {},
       nothing_but_nan},
      {"AFormatThatMoteDoesNotWriteIsNamed",
       {"convert", "scene.ply", "b.xyz"},
       1,
       "b\\.xyz.*\\.spz"},
  };
  return kCases;
}

}  // namespace mote::hostile
