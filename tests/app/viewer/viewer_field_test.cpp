// Neural fields in the viewer by actions.
#include <glm/geometric.hpp>

#include "app/viewer/session/apply_settings.h"
#include "fields/drawn_part.h"
#include "io/fields/field_format.h"
#include "io/fields/field_snapshot.h"
#include "support/tiny_field.h"
#include "support/viewer_fixture.h"
#include "train/fields/field_model.h"

namespace mote {
namespace {

class FieldsInViewer : public ScriptedViewer {
 protected:
  NeuralField field(FieldApplication application = FieldApplication::nerf,
                    const std::string& name = "field.ingp") const {
    NeuralField made = tiny_field(application, 5);
    if (application == FieldApplication::image) {
      made.image_width = 40;
      made.image_height = 20;
    }
    save_field(made, path(name));
    return read_field_snapshot(InputFile(path(name)), {});
  }
};

float largest_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  float worst = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    worst = std::max(worst, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return worst;
}

TEST_F(FieldsInViewer, AllApplicationsAreShownAsTheirBackendDrawsThem) {
  for (const FieldApplication application : {FieldApplication::nerf, FieldApplication::sdf,
                                             FieldApplication::image, FieldApplication::volume}) {
    const NeuralField made = field(application);
    run("open {}/field.ingp\nwait loaded\nwait still\n");
    ASSERT_EQ(session().documents.list().size(), 1u);
    EXPECT_EQ(counted(session().documents.list()[0]), "parameters");
    EXPECT_EQ(session().documents.list()[0].edit.splats, made.parameters.size());
    EXPECT_EQ(session().scene->counted, "parameters");
    const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
    StillField drawn(*backend, made, field_extent(made));
    Frame frame;
    RenderSettings settings = render_settings(session());
    settings.outputs.alpha = true;
    drawn.render({.camera = session().camera()}, settings, frame);
    EXPECT_LT(largest_difference(session().frame->picture(), frame.rgb), 1e-5f);
    EXPECT_GT(*std::ranges::max_element(frame.alpha.pixels.span()), 0.0f) << "something is seen";
    run("close\n");
  }
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FieldsInViewer, AFieldAndSplatsAreShownInOnePicture) {
  scene();
  field();
  run("open {}/scene.ply\nwait loaded\nopen {}/field.ingp\nwait loaded\ncamera reset\nwait "
      "still\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().documents.list().size(), 2u);
  EXPECT_EQ(session().scene->counted, "elements");
  const Image both = [&] {
    Image copy;
    copy.resize_discard(64, 48, 3);
    std::ranges::copy(session().frame->picture().pixels.span(), copy.pixels.data());
    return copy;
  }();
  for (const char* hidden : {"1", "2"}) {
    run(std::string("hide ") + hidden + "\nwait still\n");
    EXPECT_GT(largest_difference(session().frame->picture(), both), 0.01f) << hidden;
    run(std::string("show ") + hidden + "\nwait still\n");
  }
}

TEST_F(FieldsInViewer, ModesWithoutMeaningAreRefused) {
  field();
  scene();
  run("open {}/field.ingp\nwait still\n");
  for (const char* mode : {"tiles", "points", "ellipsoids"}) {
    act(std::string("mode ") + mode);
    EXPECT_EQ(session().view.mode->name, "color") << mode;
  }
  EXPECT_EQ(errors("neural fields are not drawn in tiles"), 1);
  EXPECT_EQ(errors("no splats are shown"), 2);
  for (const char* mode : {"depth", "normals", "alpha", "overdraw"}) {
    run(std::string("mode ") + mode + "\nwait still\n");
    EXPECT_EQ(session().view.mode->name, mode);
  }
  act("mode next");
  EXPECT_EQ(session().view.mode->name, "slice") << "tiles are left out";
  act("mode next");
  EXPECT_EQ(session().view.mode->name, "color");
  run("open {}/scene.ply\nwait still\nmode points\nwait still\n");
  EXPECT_EQ(session().view.mode->name, "points") << "of the splats";
  EXPECT_EQ(errors(""), 3);
}

TEST_F(FieldsInViewer, AFieldThatIsOpenedEndsAModeWithoutMeaning) {
  field();
  scene();
  run("open {}/scene.ply\nwait still\nmode tiles\nopen {}/field.ingp\nwait loaded\nwait still\n");
  EXPECT_EQ(session().view.mode->name, "color");
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FieldsInViewer, AMovedFieldIsExportedWhereItIsShown) {
  const NeuralField made = field();
  run("open {}/field.ingp\nwait still\nplace move 0.25 0 0.5\nplace scale 2\nwait still\n");
  EXPECT_TRUE(has_unsaved_edits(session().documents.list()[0]));
  const Similarity place = session().documents.list()[0].transform;
  run("export {}/moved.msgpack\nwait saved\n");
  EXPECT_FALSE(has_unsaved_edits(session().documents.list()[0]));
  const NeuralField moved = read_field_snapshot(InputFile(path("moved.msgpack")), {});
  EXPECT_EQ(moved.parameters, made.parameters);
  const glm::dvec3 before = field_extent(made).center, after = field_extent(moved).center;
  EXPECT_LT(glm::length(place.scale * before + place.translation - after), 1e-4);
  run("place turn 0 30 0\nwait still\n");
  act("export " + path("turned.ingp"));
  EXPECT_EQ(errors("files of neural fields hold no rotation"), 1);
  run("place reset\n");
  act("export " + path("field.ply"));
  EXPECT_EQ(errors("field.ply"), 1) << "a file of splats";
}

TEST_F(FieldsInViewer, ASliceIsShownWhereItsPlaneIs) {
  field();
  scene();
  run("open {}/field.ingp\nwait still\nmode slice\nwait still\n");
  const auto values = [&] {
    const auto slice = session().frame->frame.slice.pixels.span();
    std::vector<float> found;
    std::ranges::copy_if(slice, std::back_inserter(found), [](float v) { return v >= 0; });
    return found;
  };
  EXPECT_TRUE(session().frame->range.has_value());
  const std::vector<float> middle = values();
  EXPECT_FALSE(middle.empty());
  run("slice z 0.2\nwait still\n");
  EXPECT_NE(values(), middle);
  EXPECT_EQ(session().view.slice.axis, "z");
  act("slice w");
  act("slice z 9");
  EXPECT_EQ(errors("slice"), 2);
  EXPECT_EQ(session().view.slice.place, 0.2);
  run("hide 1\nopen {}/scene.ply\nwait still\n");
  EXPECT_EQ(session().view.mode->name, "color") << "splats have no slices";
  act("mode slice");
  EXPECT_EQ(errors("no neural field is shown"), 1);
}

TEST_F(FieldsInViewer, LongerStepsTakeFewerSamples) {
  field();
  run("open {}/field.ingp\nwait still\n");
  const std::uint64_t usual = session().frame->stats.evaluations;
  run("set field-step 8\nwait still\n");
  EXPECT_LT(session().frame->stats.evaluations, usual / 3);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FieldsInViewer, SurfacesHaveTheChosenColor) {
  field(FieldApplication::sdf);
  run("open {}/field.ingp\nwait still\n");
  const auto green = [&] {
    const Image& picture = session().frame->picture();
    double sum = 0;
    for (std::size_t i = 1; i < picture.pixels.size(); i += 3) sum += double{picture.pixels[i]};
    return sum;
  };
  EXPECT_GT(green(), 0);
  run("set surface-color 1,0,0\nwait still\n");
  EXPECT_EQ(green(), 0);
  act("set surface-color 2,0,0");
  EXPECT_EQ(errors("surface-color"), 1);
}

TEST_F(FieldsInViewer, AnImageHasNoSlice) {
  field(FieldApplication::image);
  run("open {}/field.ingp\nwait still\n");
  act("mode slice");
  EXPECT_EQ(errors("neural images have no density"), 1);
}

TEST_F(FieldsInViewer, TheCropBoxAppliesToAField) {
  field();
  run("open {}/field.ingp\nwait still\nbox fit\nwait loaded\n");
  ASSERT_TRUE(session().box.has_value());
  const OrientedBox fitted = *session().box;
  const auto lit = [&] {
    double sum = 0;
    for (const float value : session().frame->picture().pixels.span()) sum += double{value};
    return sum;
  };
  const double whole = lit();
  run("box scale 0.5\nbox apply\nwait still\n");
  const double part = lit();
  EXPECT_LT(part, 0.7 * whole);
  EXPECT_TRUE(has_unsaved_edits(session().documents.list()[0]));
  run("undo\nwait still\n");
  EXPECT_EQ(lit(), whole);
  EXPECT_FALSE(has_unsaved_edits(session().documents.list()[0]));
  run("redo\nwait still\nexport {}/part.ingp\nwait saved\n");
  EXPECT_EQ(lit(), part);
  EXPECT_FALSE(has_unsaved_edits(session().documents.list()[0]));
  const NeuralField written = read_field_snapshot(InputFile(path("part.ingp")), {});
  const WorldCorners corners = render_box_in_world(written);
  for (int axis = 0; axis < 3; ++axis) {
    const double reach = 0.5 * fitted.half_size[axis];
    EXPECT_NEAR(corners.low[axis], fitted.center[axis] - reach, 1e-4);
    EXPECT_NEAR(corners.high[axis], fitted.center[axis] + reach, 1e-4);
  }
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FieldsInViewer, ATurnedCropBoxIsShownButNotExported) {
  field();
  run("open {}/field.ingp\nwait still\nbox fit\nwait loaded\nbox scale 0.5\nbox turn 0 30 0\n"
      "box apply\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(session().documents.list()[0].edit.undo_name, "crop");
  act("export " + path("part.ingp"));
  run("wait saved\n");
  EXPECT_EQ(errors("is cropped by a turned box"), 1);
  EXPECT_FALSE(std::filesystem::exists(path("part.ingp")));
  run("box center 90 90 90\n");
  act("box apply");
  EXPECT_EQ(errors("has no part of the field"), 1);
}

TEST_F(FieldsInViewer, ACropBoxOfAnImageIsRefused) {
  field(FieldApplication::image);
  run("open {}/field.ingp\nwait still\n");
  act("crop -1 -1 -1 1 1 1");
  EXPECT_EQ(errors("the field is an image"), 1);
}

TEST_F(FieldsInViewer, EditsOfSplatsAreRefused) {
  field();
  run("open {}/field.ingp\nwait still\n");
  act("select all");
  EXPECT_EQ(errors("is a neural field, and only splats are edited"), 1);
  EXPECT_EQ(session().documents.list().size(), 1u);
}

TEST_F(FieldsInViewer, AnImageFillsTheViewAtFirst) {
  field(FieldApplication::image);
  run("open {}/field.ingp\nwait still\n");
  ASSERT_NE(session().documents.only_image(), nullptr);
  const Image& depth = session().frame->frame.depth_median;
  EXPECT_GT(depth.row(24)[1], 0) << "its sides are those of the view";
  EXPECT_GT(depth.row(24)[62], 0);
  EXPECT_EQ(depth.row(2)[32], 0) << "it is twice as wide as high";
  run("camera orbit 40 0\nwait still\ncamera reset\nwait still\n");
  EXPECT_GT(session().frame->frame.depth_median.row(24)[1], 0);
}

}  // namespace
}  // namespace mote
