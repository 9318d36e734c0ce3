// Keys of instant-ngp in a transforms.json that are not about the camera of each frame.
#include "io/datasets/transforms_hints.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "dataset_faults_fixture.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/transforms_json.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using nlohmann::json;

/// The hints, and whether there were warnings about this key.
FieldHints hints_of(const json& top, const std::string& refused = "") {
  std::vector<std::string> warnings;
  const FieldHints hints = read_field_hints(top, "transforms.json", warnings);
  EXPECT_EQ(warnings.size(), refused.empty() ? 0u : 1u) << testing::PrintToString(warnings);
  if (!refused.empty() && !warnings.empty()) {
    EXPECT_NE(warnings[0].find("transforms.json, " + refused + ": expected"), std::string::npos)
        << warnings[0];
  }
  return hints;
}

TEST(TransformsHints, NothingIsSaidWithoutKeys) {
  const FieldHints hints = hints_of(json::object());
  EXPECT_FALSE(hints.place || hints.render_box);
  EXPECT_EQ(hints.aabb_scale, 0);
  EXPECT_EQ(hints.latents, 0);
}

TEST(TransformsHints, TheSizeOfTheCubeAloneGivesNoPlace) {
  const FieldHints hints = hints_of({{"aabb_scale", 16}, {"n_extra_learnable_dims", 8}});
  EXPECT_EQ(hints.aabb_scale, 16);
  EXPECT_EQ(hints.latents, 8);
  EXPECT_FALSE(hints.place);
}

TEST(TransformsHints, MissingValuesOfAPlaceAreThoseOfInstantNgp) {
  FieldHints hints = hints_of({{"scale", 0.5}});
  ASSERT_TRUE(hints.place);
  EXPECT_EQ(hints.place->scale, 0.5);
  EXPECT_EQ(hints.place->offset, glm::dvec3(0.5));
  hints = hints_of({{"offset", {1, 2, 3}}});
  EXPECT_EQ(hints.place->scale, 0.33);
  EXPECT_EQ(hints.place->offset, glm::dvec3(1, 2, 3));
  EXPECT_EQ(hints_of({{"offset", 0.25}}).place->offset, glm::dvec3(0.25));
  hints = hints_of({{"from_mitsuba", true}});
  EXPECT_EQ(hints.place->scale, 0.66);
  EXPECT_NEAR(hints.place->offset.y, 0.165, 1e-15);
}

TEST(TransformsHints, ABoxOfTheWorldFillsTheUnitCube) {
  const FieldHints hints = hints_of({{"aabb", {{-1, 0, 2}, {3, 1, 4}}}});
  ASSERT_TRUE(hints.place);
  const auto placed = [&](const glm::dvec3& world) {
    return hints.place->scale * world + hints.place->offset;
  };
  EXPECT_EQ(placed({-1, 0.5, 3}), glm::dvec3(0, 0.5, 0.5));
  EXPECT_EQ(placed({3, 0.5, 3}), glm::dvec3(1, 0.5, 0.5));
}

TEST(TransformsHints, TheBoxThatIsDrawnIsInTheFieldsFrame) {
  const json box = {{0, 0.1, 0.2}, {0.7, 0.8, 0.9}};
  const FieldHints hints = hints_of({{"render_aabb", box}});
  ASSERT_TRUE(hints.render_box && hints.place);
  EXPECT_EQ(hints.render_box->min, glm::vec3(0, 0.1f, 0.2f));
  EXPECT_EQ(hints.render_box->max, glm::vec3(0.7f, 0.8f, 0.9f));
  // Axes are not cycled on the way to such a field there.
  const FieldHints other = hints_of({{"render_aabb", box}, {"from_mitsuba", true}});
  EXPECT_EQ(other.render_box->min, glm::vec3(0.1f, 0.2f, 0));
}

TEST(TransformsHints, ImpossibleValuesAreNotUsedAndNamed) {
  const std::pair<const char*, json> kCases[] = {{"aabb_scale", 3},
                                                 {"aabb_scale", 256},
                                                 {"aabb_scale", "big"},
                                                 {"from_mitsuba", "yes"},
                                                 {"from_mitsuba", 1},
                                                 {"scale", 0},
                                                 {"scale", -1},
                                                 {"offset", {1, 2}},
                                                 {"aabb", {{0, 0, 0}, {1, 1, 0}}},
                                                 {"render_aabb", {{0, 0, 0}}},
                                                 {"n_extra_learnable_dims", -1},
                                                 {"n_extra_learnable_dims", 2.5}};
  for (const auto& [key, value] : kCases) {
    SCOPED_TRACE(json({{key, value}}).dump());
    const FieldHints hints = hints_of({{key, value}}, key);
    EXPECT_FALSE(hints.place || hints.render_box);
    EXPECT_EQ(hints.aabb_scale + hints.latents, 0);
  }
}

/// Datasets with a transforms.json instead of the COLMAP model.
class TransformsKeys : public DatasetFaults {
 protected:
  /// Writes the dataset of `views` with these keys at the top; change(i, frame) may change frames.
  template <class Change>
  void write(int views, const json& top, const Change& change) {
    write_dataset(views);
    fs::remove_all(folder_ / "sparse");
    json all = {{"fl_x", 20}, {"frames", json::array()}};
    all.update(top);
    for (int i = 0; i < views; ++i) {
      json frame = {{"file_path", "images/view_0" + std::to_string(i) + ".png"},
                    {"transform_matrix", {{1, 0, 0, i}, {0, 1, 0, 0}, {0, 0, 1, 4}, {0, 0, 0, 1}}}};
      change(i, frame);
      all["frames"].push_back(frame);
    }
    std::ofstream(folder_ / "transforms.json") << all;
  }
  void write(int views, const json& top = json::object()) {
    write(views, top, [](int, json&) {});
  }
};

TEST_F(TransformsKeys, DegreesGiveTheFocalLength) {
  write(1, {{"x_fov", 90}, {"fl_x", nullptr}});
  const Camera camera = load().photographs.at(0).camera;
  EXPECT_NEAR(camera.focal_px.x, 10, 1e-9);
  EXPECT_EQ(camera.focal_px.x, camera.focal_px.y);
  write(1, {{"y_fov", 90}, {"fl_x", 20}});
  EXPECT_NEAR(load().photographs.at(0).camera.focal_px.x, 20, 1e-9);
  EXPECT_NEAR(load().photographs.at(0).camera.focal_px.y, 8, 1e-9);
  // Degrees come before a focal length along the same axis, which comes before radians.
  write(1, {{"x_fov", 90}, {"fl_x", 20}, {"camera_angle_x", 0.5}});
  EXPECT_NEAR(load().photographs.at(0).camera.focal_px.x, 10, 1e-9);
  write(1, {{"fl_x", 20}, {"camera_angle_x", 0.5}});
  EXPECT_NEAR(load().photographs.at(0).camera.focal_px.x, 20, 1e-9);
  write(1, {{"x_fov", 200}, {"fl_x", nullptr}});
  EXPECT_NE(message().find("x_fov: expected a field of view between 0 and 180 degrees"),
            std::string::npos)
      << message();
}

TEST_F(TransformsKeys, CamerasOfMitsubaLookAlongPlusZ) {
  write(1, {{"from_mitsuba", true}});
  const Dataset dataset = load();
  const Camera& camera = dataset.photographs.at(0).camera;
  const glm::dvec3 ahead = camera.cam_from_world * glm::dvec3(0, 0, 5) + camera.translation;
  EXPECT_NEAR(glm::length(ahead - glm::dvec3(0, 0, 1)), 0, 1e-12);
  const glm::dvec3 left = camera.cam_from_world * glm::dvec3(1, 0, 4) + camera.translation;
  EXPECT_NEAR(glm::length(left - glm::dvec3(-1, 0, 0)), 0, 1e-12);
  ASSERT_TRUE(dataset.field_hints.place);
}

TEST_F(TransformsKeys, FramesThatAreLessSharpThanTheirNeighboursAreLeftOut) {
  const auto sharpness = [](int i, json& frame) { frame["sharpness"] = i == 3 ? 10 : 30; };
  write(8, {{"sharpness_discard_threshold", 0.5}}, sharpness);
  expect_left(7, {"1 of 8 frames are not sharper than 0.5 times", "sharpness_discard_threshold",
                  "view_03.png"});
  write(8, json::object(), sharpness);
  EXPECT_EQ(load().photographs.size(), 8u);
  write(8, {{"sharpness_discard_threshold", 100}}, sharpness);
  EXPECT_NE(message().find("sharpness_discard_threshold"), std::string::npos);
}

TEST_F(TransformsKeys, BlurredFramesDoNotChangeTheMomentsOfOthers) {
  const json top = {{"sharpness_discard_threshold", 0.5}};
  const auto expect_times = [&](const DatasetOptions& options, double per_frame_s) {
    const Dataset dataset = load_dataset(folder_, options).dataset;
    ASSERT_EQ(dataset.photographs.size(), 7u);
    const ViewSet set = load_views(folder_, {}, options.frame_rate);
    ASSERT_EQ(set.views.size(), 8u);
    for (const Photograph& photograph : dataset.photographs) {
      const auto view = std::ranges::find(set.views, photograph.name, &View::name);
      ASSERT_NE(view, set.views.end());
      EXPECT_EQ(photograph.time_s, view->time_s) << photograph.name;
    }
    EXPECT_NEAR(dataset.photographs.back().time_s, 7 * per_frame_s, 1e-12);
  };
  DatasetOptions options;
  options.frame_rate = 4;
  // With times from 0 to 1, and without times.
  write(8, top, [](int i, json& frame) {
    frame["sharpness"] = i == 3 ? 10 : 30;
    frame["time"] = i / 7.0;
  });
  expect_times(options, 0.25);
  write(8, top, [](int i, json& frame) { frame["sharpness"] = i == 3 ? 10 : 30; });
  expect_times(options, 0.25);
}

TEST_F(TransformsKeys, ImpossibleValuesOfFramesAreNotUsedAndNamedOnce) {
  // The default sharpness of frames is that of instant-ngp, 1.
  write(8, {{"sharpness_discard_threshold", 0.5}}, [](int i, json& frame) {
    frame["sharpness"] = i == 3 ? json(0.25) : i == 5 ? json("high") : json(1.5);
    if (i > 5) frame["depth_path"] = 7;
  });
  const Dataset dataset = load();
  EXPECT_EQ(dataset.photographs.size(), 7u);
  const std::vector<std::string> warnings = dataset.warnings;
  const auto count = [&](const std::string& phrase) {
    return std::ranges::count_if(warnings, [&](const std::string& warning) {
      return warning.find(phrase) != std::string::npos;
    });
  };
  EXPECT_EQ(count("1 of 8 frames have a sharpness that is not a finite number"), 1);
  EXPECT_EQ(count("1 of 8 frames are not sharper than 0.5 times"), 1);
  EXPECT_EQ(count("frame 5 (images/view_05.png)"), 1);
  EXPECT_EQ(count("2 of 8 frames have a depth_path that is not text"), 1);
}

TEST_F(TransformsKeys, WithoutASharpnessNoFrameIsBlurred) {
  for (const json& threshold : {json(2), json("2")}) {
    write(8, {{"sharpness_discard_threshold", threshold}});
    const Dataset dataset = load();
    EXPECT_EQ(dataset.photographs.size(), 8u);
    const bool is_refused = std::ranges::any_of(dataset.warnings, [](const std::string& warning) {
      return warning.find("sharpness_discard_threshold: expected a finite number") !=
             std::string::npos;
    });
    EXPECT_EQ(is_refused, threshold.is_string());
  }
}

TEST_F(TransformsKeys, DepthsAreNotedAsUnused) {
  write(2, json::object(), [](int, json& frame) { frame["depth_path"] = "depth/a.png"; });
  const std::vector<std::string> notes = load().notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& note) {
    return note.find("the depths of 2 frames (depth_path) are not used") != std::string::npos;
  })) << testing::PrintToString(notes);
}

TEST_F(TransformsKeys, PixelsOfADynamicMaskDoNotCount) {
  write(3);
  Image mask;
  mask.resize_discard(20, 16, 3);
  std::ranges::fill(mask.pixels.span(), 0.0f);
  mask.row(2)[3 * 5 + 1] = 1;
  write_png(mask, image("dynamic_mask_view_01.png"));
  const LoadedDataset loaded = load_dataset(folder_, {});
  EXPECT_EQ(loaded.facts.masked, 1u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto photo = loaded.photos->get(i);
    ASSERT_EQ(photo->mask.pixels.empty(), i != 1);
    if (i != 1) continue;
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 20; ++x) EXPECT_EQ(photo->mask.row(y)[x] == 0, x == 5 && y == 2);
    }
  }
  // A photograph without a pixel that counts.
  std::ranges::fill(mask.pixels.span(), 9.0f / 255);
  write_png(mask, image("dynamic_mask_view_01.png"));
  expect_left(2, {"hidden completely", "dynamic_mask_view_01.png"});
}

TEST_F(TransformsKeys, BlackMayBeTransparent) {
  Image picture;
  picture.resize_discard(20, 16, 3);
  std::ranges::fill(picture.pixels.span(), 0.0f);
  picture.row(3)[3 * 7] = 1.0f / 255;
  std::fill_n(picture.row(5), 3, 1.0f);
  std::uint64_t before = 0;
  for (const bool is_white : {false, true}) {
    write(3, {{"black_transparent", true}, {"white_transparent", is_white}});
    write_png(picture, image("view_00.png"));
    const LoadedDataset loaded = load_dataset(folder_, {});
    EXPECT_TRUE(loaded.dataset.is_cut_out);
    const auto photo = loaded.photos->get(0);
    ASSERT_EQ(photo->color.channels, 4);
    EXPECT_EQ(photo->color.row(3)[4 * 7 + 3], 255);
    EXPECT_EQ(photo->color.row(3)[4 * 7], 1);
    EXPECT_EQ(photo->color.row(0)[3], 0);
    EXPECT_EQ(photo->color.row(5)[3], is_white ? 0 : 255);
    EXPECT_NE(loaded.dataset.photographs[0].pixels_signature, before);
    before = loaded.dataset.photographs[0].pixels_signature;
  }
  write(3, {{"white_transparent", true}});
  write_png(picture, image("view_00.png"));
  EXPECT_NE(load().photographs[0].pixels_signature, before);
}

TEST_F(TransformsKeys, FlagsThatAreNeitherTrueNorFalseAreNotUsedAndNamed) {
  for (const char* key : {"white_transparent", "black_transparent", "from_mitsuba"}) {
    write(6, {{key, "true"}});
    expect_left(6, {"transforms.json, " + std::string(key) + ": expected true or false"});
    EXPECT_FALSE(load().is_cut_out);
  }
}

TEST_F(TransformsKeys, WhiteMayBeTransparent) {
  write(3, {{"white_transparent", true}});
  Image picture;
  picture.resize_discard(20, 16, 3);
  std::ranges::fill(picture.pixels.span(), 1.0f);
  picture.row(3)[3 * 7] = 254.0f / 255;
  write_png(picture, image("view_00.png"));
  const LoadedDataset loaded = load_dataset(folder_, {});
  EXPECT_TRUE(loaded.dataset.is_cut_out);
  const auto photo = loaded.photos->get(0);
  ASSERT_EQ(photo->color.channels, 4);
  EXPECT_EQ(photo->color.row(3)[4 * 7 + 3], 255);
  EXPECT_EQ(photo->color.row(3)[4 * 7], 254);
  EXPECT_EQ(photo->color.row(0)[3], 0);
  const std::uint64_t signature = loaded.dataset.photographs[0].pixels_signature;
  json top = json::parse(std::ifstream(folder_ / "transforms.json"));
  top.erase("white_transparent");
  std::ofstream(folder_ / "transforms.json") << top;
  EXPECT_NE(load().photographs[0].pixels_signature, signature);
  EXPECT_FALSE(load().is_cut_out);
}

}  // namespace
}  // namespace mote
