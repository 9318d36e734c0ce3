// tools/check_arrows.sh, which checks the allowed includes between folders.
#include <cstdlib>

#include "support/program_fixture.h"

namespace mote {
namespace {

class Arrows : public Program {
 protected:
  Outcome check(const std::string& root,
                const std::string& script = MOTE_TOOLS "/check_arrows.sh") const {
    const std::string all = "bash '" + script + "' '" + root + "' >'" + path(".out") + "' 2>&1";
    const int status = std::system(all.c_str());  // NOLINT(cert-env33-c): the test runs a script
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path(".out")), ""};
  }

  void source(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    write_file(name, text);
  }
};

TEST_F(Arrows, TheTreeHasOnlyAllowedOnes) {
  const Outcome outcome = check(MOTE_TOOLS "/..");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST_F(Arrows, ForbiddenOnesAreNamedWithTheirFile) {
  for (const char* folder : {"app", "cuda"}) fs::create_directories(folder_ / folder);
  source("renderer/splats/cloud.h", "#include \"core/error.h\"\n#include \"splats/other.h\"\n");
  EXPECT_EQ(check(folder_).exit_code, 0);
  source("renderer/core/error.h", "#pragma once\n#include \"splats/cloud.h\"\n");
  source("renderer/io/splats/ply.cpp", "#include \"app/viewer/camera/pose.h\"\n");
  const Outcome outcome = check(folder_);
  EXPECT_EQ(outcome.exit_code, 1);
  for (const char* line :
       {"renderer/core/error.h: includes \"splats/cloud.h\", but renderer/core may not know "
        "renderer/splats",
        "renderer/io/splats/ply.cpp: includes \"app/viewer/camera/pose.h\", but renderer/io/splats "
        "may not know app/viewer"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << outcome.out;
  }
}

TEST_F(Arrows, AFolderOutsideTheTableIsAnError) {
  for (const char* folder : {"app", "cuda"}) fs::create_directories(folder_ / folder);
  source("renderer/garage/car.h", "#include \"core/error.h\"\n");
  const Outcome outcome = check(folder_);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("renderer/garage/car.h: lies in no folder of the table"),
            std::string::npos);
}

TEST_F(Arrows, ALibraryIsLimitedToItsFolders) {
  for (const char* folder : {"app", "cuda"}) fs::create_directories(folder_ / folder);
  source("renderer/present/screen.h", "#include <vulkan/vulkan.h>\n#include <vector>\n");
  EXPECT_EQ(check(folder_).exit_code, 0);
  source("renderer/splats/cloud.h", "#include <imgui.h>\n");
  const Outcome outcome = check(folder_);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("renderer/splats/cloud.h: includes <imgui.h>, but renderer/splats may "
                             "not use this library"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Arrows, ACircleAndAnUnknownFolderInTheTableAreErrors) {
  for (const char* folder : {"app", "cuda"}) fs::create_directories(folder_ / folder);
  source("renderer/core/error.h", "#pragma once\n#include <string>\n");
  std::string script = text_of(MOTE_TOOLS "/check_arrows.sh");
  const std::string line = "\nrenderer/core:";
  const std::size_t at = script.find(line);
  ASSERT_NE(at, std::string::npos);
  script.insert(at + line.size(), " math garage");
  write_file("changed.sh", script);
  const Outcome outcome = check(folder_, path("changed.sh"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("a circle: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("renderer/core names renderer/garage, which has no line"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Arrows, ATreeWithoutSourcesIsAnError) {
  for (const char* folder : {"app", "cuda", "renderer"}) fs::create_directories(folder_ / folder);
  EXPECT_NE(check(folder_).exit_code, 0);
}

}  // namespace
}  // namespace mote
