// A killed program's changes are offered at the next start.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "desktop.h"
#include "support/window_program_fixture.h"

namespace mote {
namespace {

class KilledProgram : public WindowProgram {
 protected:
  fs::path kept() const { return path("settings/recovery/1.mote"); }

  /// Edits a scene, and kills the program once the changes are kept.
  void edit_and_kill() {
    write_scene(200);
    const pid_t child =
        start(view_script("set autosave 1\nopen " + path("scene.ply") +
                          "\nwait still\nselect rectangle 0 0 0.5 1\ndelete\nplace move 0 0 1\n"
                          "wait still\nwait seconds 1000000\n"));
    while (!fs::exists(kept())) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << text_of(path(".err"));
    }
    ::kill(child, SIGKILL);
    EXPECT_EQ(finish(child).exit_code, -SIGKILL);
  }
};

TEST_F(KilledProgram, LosesNoChanges) {
  edit_and_kill();
  const Outcome outcome =
      run(view_script("project offer\nwait still\npointer at \"Open it\"\npointer click left\n"
                      "wait loaded\nwait still\nproject save as " +
                          path("room.mote") + "\nwait saved\nquit\n",
                      {"--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(report["scenes"].size(), 1u);
  EXPECT_EQ(report["scenes"][0]["name"], "scene.ply");
  EXPECT_LT(report["scenes"][0]["splats"], 200);
  EXPECT_GT(report["scenes"][0]["splats"], 0);
  EXPECT_FALSE(fs::exists(kept())) << "the program ended properly";
}

TEST_F(KilledProgram, IsAskedAboutAtTheNextStart) {
  edit_and_kill();
  const pid_t child = start(view({"--json"}));
  Desktop desktop;
  for (bool closed = false; !closed;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    try {
      desktop.close();
      closed = true;
    } catch (const Error&) {
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << text_of(path(".err"));
    }
  }
  const Outcome outcome = finish(child);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["project"]["offered"], true);
  EXPECT_TRUE(fs::exists(kept())) << "it was not answered";
}

}  // namespace
}  // namespace mote
