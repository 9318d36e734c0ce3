// Neural fields in the window, with pointer input.
#include <glm/geometric.hpp>

#include "io/fields/field_format.h"
#include "support/gui_fixture.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

class FieldsInWindow : public ScriptedWindow {
 protected:
  void image() const {
    NeuralField made = tiny_field(FieldApplication::image, 5);
    made.image_width = 40;
    made.image_height = 20;
    save_field(made, path("image.ingp"));
  }
};

const std::string kFieldClick = "pointer click left\n";

std::string drag(const std::string& button) {
  return "pointer at view 0.5 0.5\npointer press " + button +
         "\npointer at view 0.55 0.5\npointer at view 0.6 0.5\npointer release " + button +
         "\nwait still\n";
}

TEST_F(FieldsInWindow, DraggingMovesANeuralImageInsteadOfTurningIt) {
  image();
  run_in_window("open {}/image.ingp\nwait loaded\nwait still\n");
  const Pose before = session().navigator.pose();
  for (const char* button : {"left", "right"}) {
    const Pose from = session().navigator.pose();
    run_in_window(drag(button));
    const Pose& after = session().navigator.pose();
    EXPECT_EQ(after.world_from_cam, before.world_from_cam) << button;
    EXPECT_LT(after.eye_world.x, from.eye_world.x - 0.01) << button << ": the image moves along";
    EXPECT_EQ(after.eye_world.z, from.eye_world.z) << button;
  }
  run_in_window("pointer at view 0.5 0.5\npointer scroll 3\nwait still\n");
  EXPECT_LT(std::abs(session().navigator.pose().eye_world.z), std::abs(before.eye_world.z));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FieldsInWindow, TheTrainingPanelTrainsOnAPicture) {
  write_png(pattern_image(48, 32, 3, 1), path("picture.png"));
  run_in_window(
      "window size 1100 900\nopen {}/picture.png\nwait loaded\npanel train on\nwait seconds 0.1\n"
      "pointer at Steps\n" +
      kFieldClick + "pointer at Steps\n" + kFieldClick +
      "key Ctrl+A\ntext 20\nkey Enter\nscreenshot window {shots}/field_target.png\n"
      "pointer at \"Start training\"\n" +
      kFieldClick + "wait trained\nwait still\nscreenshot window {shots}/field_picture.png\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(std::filesystem::exists(path("output/field_20.ingp")));
  ASSERT_NE(session().documents.only_image(), nullptr);
}

TEST_F(FieldsInWindow, TheExportDialogProposesTheFormatOfTheScene) {
  image();
  scene();
  run_in_window(
      "window size 1100 900\nopen {}/scene.ply\nwait loaded\nopen {}/image.ingp\n"
      "wait loaded\nwait still\nkey Ctrl+E\nwait seconds 0.2\n"
      "screenshot window {shots}/field_export.png\nkey Enter\nwait seconds 0.3\n"
      "wait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(std::filesystem::exists(path("image_edited.ingp")));
}

}  // namespace
}  // namespace mote
