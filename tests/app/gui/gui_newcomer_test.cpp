// The way of a newcomer, with input events only: from the first start to a scene of one's own. The
// screenshots stay in the build folder.
#include "attended_host.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

std::string click_and_wait(const std::string& name) {
  return "pointer at \"" + name + "\"\npointer click left\nwait still\n";
}

std::string picture(const std::string& name) {
  return "wait still\nscreenshot window {shots}/newcomer_" + name + ".png\n";
}

/// Replaces the text of a field.
std::string fill_in(const std::string& field, const std::string& text) {
  return "pointer at \"" + field + "\"\npointer click left\nkey Ctrl+A\ntext " + text +
         "\nkey Enter\n";
}

/// A line around the upper part of the picture.
std::string lasso() {
  std::string text = "key L\npointer at view 0.1 0.1\npointer press left\n";
  for (const char* point : {"0.9 0.1", "0.9 0.45", "0.5 0.5", "0.1 0.45", "0.1 0.1"}) {
    text += fmt::format("pointer at view {}\n", point);
  }
  return text + "pointer release left\nwait still\n";
}

class Newcomer : public ScriptedWindow {
 protected:
  static constexpr int kWide = 1400, kHigh = 900;

  /// The things that were seen on the way.
  struct Seen {
    bool paused = false, compared = false;
    std::uint64_t selected = 0, splats_before = 0;
    double spent_at_pause_s = 0;
  };

  void take_a_look(Seen& seen) const {
    const TrainStatus& training = session().training.status;
    seen.paused |= training.phase == TrainPhase::paused;
    seen.compared |= session().view.compare == Compare::split && compared_picture(session());
    const Document* active = session().documents.active();
    if (active == nullptr || active->edit.selected == 0) return;
    seen.selected = active->edit.selected;
    seen.splats_before = active->edit.splats;
  }

  void go(std::string text, Seen& seen) {
    for (const auto& [what, by] : {std::pair<std::string, std::string>{"{shots}", MOTE_SCREENSHOTS},
                                   {"{}", folder_.string()}}) {
      for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
        text.replace(at, what.size(), by);
      }
    }
    Script script(text, "script", existing_);
    run_in(std::make_unique<AttendedHost>(
               kWide, kHigh, [&](const std::vector<InputEvent>&) { take_a_look(seen); }),
           script);
    EXPECT_TRUE(script.done());
  }
};

TEST_F(Newcomer, GetsFromTheFirstStartToASceneOfTheirOwn) {
  make_tiny_dataset(path("garden"), {.views = 16, .width = 160, .height = 120, .splats = 300});
  Seen seen_here;
  go(picture("01_first_start") + "drop {}/garden\nwait loaded\n" + picture("02_dataset") +
         click_and_wait("Photographs") + click_and_wait("view_05") + picture("03_photograph") +
         click_and_wait("Train") + picture("04_train_form") + click_and_wait("Steps") +
         fill_in("Steps", "400") + click_and_wait("Start training") + "wait trained 60\n" +
         click_and_wait("Pause") + "wait paused\n" + picture("05_paused") +
         click_and_wait("Resume") + "wait trained\n" + picture("06_trained") +
         click_and_wait("view_05") + click_and_wait("Compare") + click_and_wait("Split") +
         picture("07_compared") + click_and_wait("Compare") + click_and_wait("Off") + lasso() +
         picture("08_lasso") + "key Delete\nwait still\n" + picture("09_deleted") + "key Ctrl+E\n" +
         picture("10_export") + fill_in("Folder", "{}") + click_and_wait("Save") + "wait saved\n" +
         picture("11_exported"),
     seen_here);
  EXPECT_TRUE(seen_here.paused);
  EXPECT_TRUE(seen_here.compared);
  EXPECT_GT(seen_here.selected, 0u);
  ASSERT_TRUE(session().training.end);
  EXPECT_EQ(session().training.end->step, 400u);
  EXPECT_EQ(session().training.end->fault, "");
  const Document* active = session().documents.active();
  ASSERT_NE(active, nullptr);
  EXPECT_EQ(active->edit.splats, seen_here.splats_before - seen_here.selected);
  EXPECT_FALSE(has_unsaved_edits(*active)) << "they are exported";
  ASSERT_TRUE(fs::exists(path("garden run 1.ply"))) << "its folder is called output";
  EXPECT_EQ(errors(""), 0);

  const std::uint64_t kept = active->edit.splats;
  start();
  go("key Ctrl+O\n" + fill_in("Name", "garden run 1.ply") + "wait loaded\n" +
         picture("12_opened_again"),
     seen_here);
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(session().documents.list()[0].edit.splats, kept);
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
