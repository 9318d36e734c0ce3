// `mote info` of a project: its parts, and the files that it lacks.
#include <nlohmann/json.hpp>

#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class InfoProject : public Program {
 protected:
  /// A project of two scenes, the first with deleted, moved and selected splats and a placement.
  void SetUp() override {
    Program::SetUp();
    write_scene(200);
    fs::copy_file(path("scene.ply"), path("other.ply"));
    write_file("script",
               "open " + path("other.ply") + " " + path("scene.ply") +
                   "\nwait loaded\nhide other.ply\nactivate scene.ply\nselect rectangle 0 0 0.5 1\n"
                   "delete\nselect all\nselect move 1 0 0\nplace set 1 2 3 0 0 0 2\n"
                   "path add 0\npath add 2.5\nmode depth\nproject save as " +
                   path("room.mote") + "\nwait saved\nquit\n");
    const Outcome made = run({"view", "--offscreen", "--device", "cpu", "--size", "64x48",
                              "--settings", path("settings"), "--script", path("script")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  json info() const {
    const Outcome outcome = run({"info", path("room.mote"), "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  std::string edits() const { return fs::directory_iterator(path("room_edits"))->path().string(); }
};

TEST_F(InfoProject, NamesItsScenesCameraPathAndEdits) {
  const json found = info();
  EXPECT_EQ(found["format"], "Mote project");
  ASSERT_EQ(found["scenes"].size(), 2u);
  const json& other = found["scenes"][0];
  EXPECT_EQ(other["path"], path("other.ply"));
  EXPECT_EQ(other["shown"], false);
  EXPECT_EQ(other["transformed"], false);
  EXPECT_TRUE(other["edits"].is_null());
  const json& edited = found["scenes"][1];
  EXPECT_EQ(edited["name"], "scene.ply");
  EXPECT_EQ(edited["shown"], true);
  EXPECT_EQ(edited["transformed"], true);
  EXPECT_EQ(edited["missing"], false);
  const json& edits = edited["edits"];
  EXPECT_EQ(edits["fault"], "");
  EXPECT_GT(edits["deleted"], 0);
  EXPECT_LT(edits["deleted"], 200);
  EXPECT_EQ(edits["selected"].get<int>() + edits["deleted"].get<int>(), 200);
  EXPECT_EQ(edits["moved"], edits["selected"]);
  EXPECT_EQ(found["active"], "scene.ply");
  EXPECT_EQ(found["camera"]["orthographic"], false);
  EXPECT_EQ(found["path"]["keyframes"], 2);
  EXPECT_EQ(found["path"]["seconds"], 2.5);
  EXPECT_TRUE(found["run"].is_null());
  EXPECT_EQ(found["mode"], "depth");
  EXPECT_EQ(found["missing"], json::array());
  EXPECT_EQ(found["warnings"], json::array());

  const Outcome text = run({"info", path("room.mote")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* phrase : {"Mote project", "other.ply, not shown", "scene.ply, transformed",
                             "deleted", "2 keyframes, 2.5 s", "depth"}) {
    EXPECT_NE(text.out.find(phrase), std::string::npos) << phrase << " in\n" << text.out;
  }
}

TEST_F(InfoProject, MissingChangedAndDamagedFilesAreNamed) {
  fs::remove(path("other.ply"));
  fs::resize_file(path("scene.ply"), 1000);
  fs::resize_file(edits(), 40);
  auto project = json::parse(text_of(path("room.mote")));
  project["run"] = "output";
  write_file("room.mote", project.dump());
  const json found = info();
  EXPECT_EQ(found["missing"], json::array({path("other.ply"), path("output")}));
  EXPECT_EQ(found["scenes"][0]["missing"], true);
  EXPECT_EQ(found["scenes"][1]["changed"], true);
  EXPECT_NE(found["scenes"][1]["edits"]["fault"].get<std::string>().find(edits()),
            std::string::npos);
  EXPECT_EQ(found["run"], path("output"));
  EXPECT_EQ(found["warnings"].size(), 3u);
  const Outcome text = run({"info", path("room.mote")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* phrase :
       {"other.ply, not shown, missing", "scene.ply, changed since the project was saved",
        "output is missing; put it back"}) {
    EXPECT_NE(text.out.find(phrase), std::string::npos) << phrase << " in\n" << text.out;
  }
}

TEST_F(InfoProject, ADamagedProjectIsRefusedWithItsLine) {
  const std::string text = text_of(path("room.mote"));
  write_file("room.mote", text.substr(0, text.size() / 2));
  expect_refusal({"info", path("room.mote")}, 1, {"room.mote", "line", "; "});
  write_file("room.mote", "{}");
  expect_refusal({"info", path("room.mote")}, 1, {"room.mote", "; "});
  fs::remove(path("room.mote"));
  expect_refusal({"info", path("room.mote")}, 1, {"room.mote", "No such file", "; "});
  expect_refusal({"info", path("room.mote"), "--resize", "0.5"}, 2, {"--resize", "room.mote"});
}

}  // namespace
}  // namespace mote
