// Project files: all of their members, and wrong ones.
#include "io/projects/project_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFile = "/home/someone/rooms/room.mote";

/// Every member differs from its default.
Project full_project() {
  const glm::dmat3 turned = rotation_about_axes({0.1, -0.7, 2});
  Project project;
  ProjectScene splats{.name = "room.ply",
                      .path = "/home/someone/data/room.ply",
                      .data = FileFacts{.bytes = 123456789, .fingerprint = 0xfedcba9876543210},
                      .shown = false,
                      .placement = {.scale = 1.7, .rotation = turned, .translation = {1, -2, 3e-7}},
                      .colors = {.exposure = -0.3,
                                 .tint = {0.9, 1.1, 1.0 / 3},
                                 .saturation = 0.25,
                                 .contrast = 1.5},
                      .edits = "/home/someone/rooms/room_edits/0123456789abcdef.edits"};
  ProjectScene frames{.name = "frames",
                      .path = "/other/frames",
                      .crops = {{.center = {1, 2, 3}, .half_size = {0, 1, 2}, .rotation = turned}},
                      .frames_per_second = 24};
  ProjectScene part{.name = "room.ply, part",
                    .format = "3DGS ply",
                    .edits = "/home/someone/rooms/room_edits/00000000000000ff.edits"};
  project.scenes = {splats, frames, part};
  project.active = 2;
  project.cameras = 1;
  project.camera = {.position_world = {1, 2, 3},
                    .world_from_cam = glm::dquat(0.5, 0.5, -0.5, 0.5),
                    .focus_distance = 0.125,
                    .up_world = {0, 0, 1},
                    .speed = 3.5,
                    .orthographic = true};
  project.camera.lens.width = 640;
  project.camera.lens.height = 480;
  project.camera.lens.focal_px = {501.5, 502.25};
  project.camera.lens.center_px = {320.125, -7};
  KeyframePath path{.loop = true, .constant_speed = true};
  path.keyframes.push_back({.time_s = 0, .position_world = {1, 0, 0}});
  path.keyframes.push_back({.time_s = 2.5, .position_world = {0, 1, 0}});
  project.path = path;
  project.path_file = "/home/someone/rooms/path.json";
  project.box = {{.center = {4, 5, 6}, .half_size = {1, 1, 2}, .rotation = turned}, 0};
  project.photograph = {1, "view_03.png"};
  project.time = {.time_s = 1.25, .speed = 0.5, .loop = false};
  project.view = {.mode = "depth",
                  .compare = "split",
                  .slice_axis = "y",
                  .sh_degree = 2,
                  .splat_scale = 0.5,
                  .slice_place = -0.75,
                  .split = 0.3,
                  .settings = {{"background", "1,0,0.5"}, {"tone", "filmic"}}};
  project.run = "/home/someone/rooms/output";
  project.saved_in = "/home/someone/rooms/room.mote";
  return project;
}

json full_json() {
  return json::parse(project_text(full_project(), kFile.parent_path()));
}

Error fault_of(const json& text) {
  return thrown_by([&] { parse_project(text.dump(), kFile); });
}

TEST(ProjectFile, HoldsEveryMember) {
  const Project read = parse_project(full_json().dump(), kFile), given = full_project();
  ASSERT_EQ(read.scenes.size(), given.scenes.size());
  for (std::size_t i = 0; i < read.scenes.size(); ++i) {
    const ProjectScene &a = read.scenes[i], &b = given.scenes[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.format, b.format);
    EXPECT_EQ(a.data, b.data);
    EXPECT_EQ(a.shown, b.shown);
    EXPECT_EQ(a.placement, b.placement);
    EXPECT_EQ(a.colors, b.colors);
    EXPECT_EQ(a.crops, b.crops);
    EXPECT_EQ(a.edits, b.edits);
    EXPECT_EQ(a.frames_per_second, b.frames_per_second);
  }
  EXPECT_EQ(read.active, given.active);
  EXPECT_EQ(read.cameras, given.cameras);
  EXPECT_EQ(read.camera.position_world, given.camera.position_world);
  EXPECT_EQ(read.camera.world_from_cam, given.camera.world_from_cam);
  EXPECT_EQ(read.camera.focus_distance, given.camera.focus_distance);
  EXPECT_EQ(read.camera.up_world, given.camera.up_world);
  EXPECT_EQ(read.camera.speed, given.camera.speed);
  EXPECT_EQ(read.camera.orthographic, given.camera.orthographic);
  EXPECT_EQ(read.camera.lens.width, given.camera.lens.width);
  EXPECT_EQ(read.camera.lens.height, given.camera.lens.height);
  EXPECT_EQ(read.camera.lens.focal_px, given.camera.lens.focal_px);
  EXPECT_EQ(read.camera.lens.center_px, given.camera.lens.center_px);
  ASSERT_TRUE(read.path);
  EXPECT_EQ(read.path->keyframes.size(), 2u);
  EXPECT_TRUE(read.path->loop && read.path->constant_speed);
  EXPECT_EQ(read.path->keyframes[1].position_world, given.path->keyframes[1].position_world);
  EXPECT_EQ(read.path_file, given.path_file);
  ASSERT_TRUE(read.box);
  EXPECT_EQ(read.box->box, given.box->box);
  EXPECT_EQ(read.box->scene, given.box->scene);
  ASSERT_TRUE(read.photograph);
  EXPECT_EQ(read.photograph->scene, given.photograph->scene);
  EXPECT_EQ(read.photograph->name, given.photograph->name);
  EXPECT_EQ(read.time.time_s, given.time.time_s);
  EXPECT_EQ(read.time.speed, given.time.speed);
  EXPECT_EQ(read.time.loop, given.time.loop);
  EXPECT_EQ(read.view.mode, given.view.mode);
  EXPECT_EQ(read.view.compare, given.view.compare);
  EXPECT_EQ(read.view.slice_axis, given.view.slice_axis);
  EXPECT_EQ(read.view.sh_degree, given.view.sh_degree);
  EXPECT_EQ(read.view.splat_scale, given.view.splat_scale);
  EXPECT_EQ(read.view.slice_place, given.view.slice_place);
  EXPECT_EQ(read.view.split, given.view.split);
  EXPECT_EQ(read.view.settings, given.view.settings);
  EXPECT_EQ(read.run, given.run);
  EXPECT_EQ(read.saved_in, given.saved_in);
}

TEST(ProjectFile, AnEmptyProjectIsValid) {
  Project project;
  project.camera.lens.width = project.camera.lens.height = 1;
  project.camera.lens.focal_px = {1, 1};
  const Project read = parse_project(project_text(project, "/"), "/x.mote");
  EXPECT_TRUE(read.scenes.empty());
  EXPECT_FALSE(read.path || read.box || read.photograph || read.active);
}

TEST(ProjectFile, PathsAreRelativeToTheFile) {
  const json text = full_json();
  EXPECT_EQ(text["scenes"][0]["path"], "../data/room.ply");
  EXPECT_EQ(text["scenes"][0]["edits"], "room_edits/0123456789abcdef.edits");
  const Project moved = parse_project(text.dump(), "/mnt/disk/rooms/room.mote");
  EXPECT_EQ(moved.scenes[0].path, "/mnt/disk/data/room.ply");
  json absolute = text;
  absolute["scenes"][0]["path"] = "/elsewhere/room.ply";
  EXPECT_EQ(parse_project(absolute.dump(), kFile).scenes[0].path, "/elsewhere/room.ply");
}

TEST(ProjectFile, ADamagedTextIsRefusedWithItsLine) {
  std::string text = project_text(full_project(), kFile.parent_path());
  const std::size_t third = text.find('\n', text.find('\n', text.find('\n') + 1) + 1);
  text.insert(third, " oops");
  const Error error = thrown_by([&] { parse_project(text, kFile); });
  EXPECT_EQ(error.where(), kFile.string() + ", line 3");
  EXPECT_FALSE(error.remedy().empty());
  for (const char* other : {"", "{", "[]", "null", "\"mote project\"", "{\"type\": \"other\"}",
                            "{\"type\": 1e999}", "\xff\xfe", "{\"type\": \"mote project\"}"}) {
    const Error fault = thrown_by([&] { parse_project(other, kFile); });
    EXPECT_TRUE(fault.where().starts_with(kFile.string())) << other;
  }
}

TEST(ProjectFile, WrongValuesAreRefusedByTheirKey) {
  struct Case {
    const char* pointer;  // of the value
    json value;
    const char* where;  // in the message
  };
  const json nested = json::parse(std::string(2000, '[') + std::string(2000, ']'));
  const Case cases[] = {
      {"/version", 2, "version"},
      {"/scenes", "none", "scenes"},
      {"/scenes/0", 3, "scene 0"},
      {"/scenes/0/name", 3, "scene 0, name"},
      {"/scenes/0/path", "", "scene 0, path"},
      {"/scenes/0/path", std::string("a\0b", 3), "scene 0, path"},
      {"/scenes/0/path", nested, "scene 0, path"},
      {"/scenes/0/shown", "yes", "scene 0, shown"},
      {"/scenes/0/data/bytes", -1, "data, bytes"},
      {"/scenes/0/data/fingerprint", "xyz", "data, fingerprint"},
      {"/scenes/0/placement/scale", 0, "placement, scale"},
      {"/scenes/0/placement/rotation", {1, 0, 0, 0, 1, 0, 0, 0, 2}, "placement, rotation"},
      {"/scenes/0/placement/rotation", {1, 0, 0}, "placement, rotation"},
      {"/scenes/0/placement/translation", {1e300, 0, 0}, "placement, translation"},
      {"/scenes/0/colors/exposure", 1e9, "colors, exposure"},
      {"/scenes/0/colors/tint", {1, 1, -1}, "colors, tint"},
      {"/scenes/1/crops", json::array(), "scene 1, crops"},
      {"/scenes/1/crops/0/half_size", {-1, 0, 0}, "crop 0, half_size"},
      {"/scenes/1/fps", -1, "scene 1, fps"},
      {"/active", 3, "active"},
      {"/active", 0.5, "active"},
      {"/cameras", -1, "cameras"},
      {"/camera", nullptr, "camera"},
      {"/camera/rotation", {0, 0, 0, 0}, "camera, rotation"},
      {"/camera/up", {0, 0, 0}, "camera, up"},
      {"/camera/focus_distance", 0, "camera, focus_distance"},
      {"/camera/lens/size", {0, 10}, "lens, size"},
      {"/camera/lens/size", {1e9, 10}, "lens, size"},
      {"/camera/lens/focal_px", {0, 1}, "lens, focal_px"},
      {"/path/keyframes", json::array(), "path, keyframes"},
      {"/path/keyframes/1/time_s", 0, "path"},
      {"/box/half_size", {1, 1}, "box, half_size"},
      {"/box/scene", 17, "box, scene"},
      {"/photograph/scene", "first", "photograph, scene"},
      {"/time/speed", 0, "time, speed"},
      {"/view/sh_degree", 5, "view, sh_degree"},
      {"/view/splat_scale", 1e6, "view, splat_scale"},
      {"/view/settings/tone", 4, "settings, tone"},
      {"/view/settings", {1}, "view, settings"},
  };
  for (const Case& one : cases) {
    json text = full_json();
    text[json::json_pointer(one.pointer)] = one.value;
    const Error error = fault_of(text);
    EXPECT_TRUE(error.where().starts_with(kFile.string())) << one.pointer;
    EXPECT_NE(error.where().find(one.where), std::string::npos)
        << one.pointer << ": " << error.what();
    EXPECT_FALSE(error.remedy().empty()) << one.pointer;
  }
  json without = full_json();
  without["scenes"][0].erase("path");
  without["scenes"][0].erase("edits");
  EXPECT_NE(fault_of(without).where().find("scene 0, path"), std::string::npos);
}

TEST(FileFacts, ChangeWithTheFile) {
  const fs::path file = fs::path(testing::TempDir()) / ("mote_facts_" + std::to_string(::getpid()));
  const auto facts = [&](const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
    return file_facts(file);
  };
  const std::string large(300'000, 'a');
  const FileFacts first = facts(large);
  EXPECT_EQ(facts(large), first);
  EXPECT_NE(facts(large + "a"), first);
  std::string shifted = large;
  for (std::size_t i = 1000; i < shifted.size(); ++i) shifted[i] = 'b';
  EXPECT_NE(facts(shifted), first) << "the same size, another content";
  EXPECT_NE(facts("a"), facts("b"));
  EXPECT_EQ(facts("").bytes, 0u);
  fs::remove(file);
}

}  // namespace
}  // namespace mote
