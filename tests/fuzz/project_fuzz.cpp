// Project files. What is read can be written and read again.
#include <string_view>

#include "core/error.h"
#include "io/projects/project_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path file = "/folder/project.mote";
  try {
    const mote::Project project =
        mote::parse_project({reinterpret_cast<const char*>(data), size}, file);
    for (const mote::ProjectScene& scene : project.scenes) {
      CHECK(!scene.name.empty() && !(scene.path.empty() && scene.edits.empty()));
    }
    const std::string text = mote::project_text(project, file.parent_path());
    const mote::Project again = mote::parse_project(text, file);
    CHECK(again.scenes.size() == project.scenes.size());
    CHECK(again.path.has_value() == project.path.has_value());
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
