// Commands that draw or write a part of a neural field: --box, --mode slice and --step.
#include <array>

#include "fields/field_camera.h"
#include "io/fields/field_format.h"
#include "support/field_command_fixture.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

using nlohmann::json;

TEST_F(FieldCommand, RenderShowsSlicesAndTakesLongerSteps) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "60")).exit_code, 0);
  const auto render = [&](const std::string& to, std::vector<std::string> more) {
    std::vector<std::string> all{"render",     path("out/field_60.ingp"),
                                 "--orbit",    "1",
                                 "--size",     "40x30",
                                 "-o",         path(to),
                                 "--progress", "none",
                                 "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["views"][0];
  };
  EXPECT_TRUE(render("view", {"--mode", "slice"}).contains("range"));
  render("side", {"--mode", "slice", "--slice-axis", "x", "--slice-at", "0.3"});
  EXPECT_FALSE(is_one_color(read_image8(path("view/orbit_000.png"))));
  EXPECT_NE(text_of(path("view/orbit_000.png")), text_of(path("side/orbit_000.png")));
  render("fine", {});
  render("coarse", {"--step", "8"});
  EXPECT_NE(text_of(path("fine/orbit_000.png")), text_of(path("coarse/orbit_000.png")));
  expect_refusal({"render", path("out"), "--orbit", "1", "-o", path("n"), "--step", "0.5", "-q"}, 2,
                 {"--step", "1"});
  expect_refusal({"render", path("out"), "--orbit", "1", "-o", path("n"), "--slice-axis", "w",
                  "--mode", "slice", "-q"},
                 2, {"--slice-axis", "view"});
  for (const auto& [option, value] : {std::pair("--slice-axis", "x"), {"--slice-at", "0.3"}}) {
    expect_refusal({"render", path("out"), "--orbit", "1", "-o", path("n"), option, value, "-q"}, 2,
                   {option, "applies only to --mode slice"});
  }
  expect_refusal(
      {"render", write_scene(), "--orbit", "1", "-o", path("n"), "--mode", "slice", "-q"}, 1,
      {"splats have no density"});
}

TEST_F(FieldCommand, SurfacesHaveTheChosenColor) {
  save_field(tiny_field(FieldApplication::sdf, 5), path("surface.ingp"));
  const auto channels = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "render", path("surface.ingp"), "--orbit", "1",          "--size", "40x30",
        "-o",     path("out"),          "-y",      "--progress", "none"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const Image8 image = read_image8(path("out/orbit_000.png"));
    std::array<int, 3> sums{};
    const auto stride = static_cast<std::size_t>(image.channels);
    for (std::size_t i = 0; i + 2 < image.pixels.size(); i += stride) {
      for (std::size_t c = 0; c < 3; ++c) sums[c] += image.pixels[i + c];
    }
    return sums;
  };
  const std::array<int, 3> usual = channels({}), red = channels({"--surface-color", "1,0,0"});
  EXPECT_GT(usual[1], 0);
  EXPECT_GT(red[0], usual[0]);
  EXPECT_EQ(red[1], 0);
  EXPECT_EQ(red[2], 0);
  expect_refusal({"render", path("surface.ingp"), "--orbit", "1", "-o", path("n"),
                  "--surface-color", "2,0,0", "-q"},
                 2, {"--surface-color"});
}

TEST_F(FieldCommand, ADensityOfTheSurfaceOfADistanceFieldIsRefused) {
  save_field(tiny_field(FieldApplication::sdf, 5), path("surface.ingp"));
  expect_refusal(
      {"convert", path("surface.ingp"), path("a.ply"), "--density", "5", "--progress", "none"}, 2,
      {"--density", "applies only to NeRFs", "surface.ingp"});
  EXPECT_FALSE(fs::exists(path("a.ply")));
}

TEST_F(FieldCommand, APartOfAnImageIsShownAtItsOwnScale) {
  NeuralField image = tiny_field(FieldApplication::image, 5);
  image.image_width = 40;
  image.image_height = 20;
  save_field(image, path("image.ingp"));
  const auto render = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"render", path("image.ingp"), "-o",  path("out"),
                                 "-y",     "--progress",       "none"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  render({"--size", "80x40"});
  render({"--size", "40x20", "--part", "10,5,30,15"});
  const Image8 whole = read_image8(path("out/front.png")), part = read_image8(path("out/part.png"));
  ASSERT_EQ(part.width, 40);
  ASSERT_EQ(part.height, 20);
  EXPECT_FALSE(is_one_color(part));
  for (int y = 0; y < part.height; ++y) {
    for (int x = 0; x < 3 * part.width; ++x) {
      ASSERT_NEAR(part.row(y)[x], whole.row(y + 10)[x + 3 * 20], 1) << x << " " << y;
    }
  }
  render({"--part", "10,5,30,15"});
  EXPECT_EQ(read_image8(path("out/part.png")).width, 20);
  const auto refuse = [&](const std::string& part_text, const std::vector<std::string>& phrases) {
    expect_refusal({"render", path("image.ingp"), "-o", path("n"), "--part", part_text}, 2,
                   phrases);
  };
  refuse("30,5,10,15", {"--part", "upper left corner first"});
  refuse("30,5,41,15", {"--part", "not inside the image", "40x20 pixels"});
  expect_refusal(
      {"render", path("image.ingp"), "-o", path("n"), "--part", "1,1,2,2", "--orbit", "1"}, 2,
      {"--part", "--orbit"});
  save_field(tiny_field(FieldApplication::sdf, 5), path("solid.ingp"));
  expect_refusal({"render", path("solid.ingp"), "-o", path("n"), "--part", "1,1,2,2"}, 2,
                 {"--part", "applies only to neural images"});
  const Outcome bench = run({"bench", path("image.ingp"), "--part", "1,1,2,2", "--size", "8x6",
                             "--frames", "1", "--progress", "none"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
}

TEST_F(FieldCommand, OptionsAndModesOfOtherModelsAreReported) {
  const auto warnings = [&](const std::string& scene) {
    const Outcome outcome =
        run({"render", scene, "--orbit", "1", "--size", "8x6", "-o", path("out"), "-y", "--step",
             "4", "--surface-color", "1,0,0", "--progress", "none"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::string found;
    for (const char* option : {"--step", "--surface-color"}) {
      const bool is_idle =
          outcome.err.find(std::string(option) + " has no effect") != std::string::npos;
      if (is_idle) found += option;
    }
    return found;
  };
  const auto field = [&](FieldApplication application) {
    save_field(tiny_field(application, 5), path("field.ingp"));
    return path("field.ingp");
  };
  EXPECT_EQ(warnings(field(FieldApplication::nerf)), "--surface-color");
  EXPECT_EQ(warnings(field(FieldApplication::volume)), "--surface-color");
  EXPECT_EQ(warnings(field(FieldApplication::sdf)), "--step");
  EXPECT_EQ(warnings(field(FieldApplication::image)), "--step--surface-color");
  EXPECT_EQ(warnings(write_scene()), "--step--surface-color");
  for (const char* mode : {"ellipsoids", "points", "tiles"}) {
    expect_refusal(
        {"render", field(FieldApplication::nerf), "--orbit", "1", "-o", path("n"), "--mode", mode},
        2, {std::string("--mode ") + mode, "single splats"});
  }
}

TEST_F(FieldCommand, OptionsOfDrawnSplatsAreReported) {
  const auto warned = [&](std::vector<std::string> words, const std::vector<std::string>& options) {
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--progress", "none"});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::size_t found = 0;
    for (std::size_t i = 0; i < options.size(); i += 2) {
      const std::string line = options[i] + " has no effect: it applies only to splats";
      found += outcome.err.find(line) != std::string::npos ? 1 : 0;
    }
    return found;
  };
  const std::vector<std::string> drawn{"--antialiased", "on",    "--sh-degree",    "1",
                                       "--precision",   "exact", "--sequence-fps", "10",
                                       "--memory",      "1"};
  std::vector<std::string> scaled = drawn;
  scaled.insert(scaled.end(), {"--splat-scale", "2"});
  save_field(tiny_field(FieldApplication::nerf, 5), path("field.ingp"));
  const std::string field = path("field.ingp"), splats = write_scene();
  const auto render = [&](const std::string& scene) {
    return std::vector<std::string>{"render", scene, "--orbit",   "1", "--size",
                                    "8x6",    "-o",  path("out"), "-y"};
  };
  EXPECT_EQ(warned(render(field), scaled), 6u);
  EXPECT_EQ(warned(render(splats), scaled), 0u);
  const std::vector<std::string> bench{"bench",  field, "--orbit",  "1",
                                       "--size", "8x6", "--frames", "1"};
  EXPECT_EQ(warned(bench, drawn), 5u);
  const std::vector<std::string> of_eval{"--antialiased", "on", "--memory", "1"};
  EXPECT_EQ(warned({"eval", field, path("data")}, of_eval), 1u) << "--memory is for photographs";
  EXPECT_EQ(warned({"eval", splats, path("data")}, of_eval), 0u);
}

TEST_F(FieldCommand, OptionsOfPhotographsAreReportedWhereAPictureIsComparedWith) {
  NeuralField image = tiny_field(FieldApplication::image, 5);
  image.image_width = 64;
  image.image_height = 48;
  save_field(image, path("image.ingp"));
  fs::copy_file(path("data/images/view_00.png"), path("picture.png"));
  const Outcome outcome =
      run({"eval", path("image.ingp"), path("picture.png"), "--background", "1,1,1", "--fit",
           "pose", "--resize", "0.5", "--memory", "1", "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* words :
       {"--background has no effect: it applies only to comparisons with photographs",
        "--fit has no effect: it applies only to comparisons with photographs",
        "--resize has no effect: it applies only to comparisons with photographs"}) {
    EXPECT_NE(outcome.err.find(words), std::string::npos) << words << "\n" << outcome.err;
  }
  EXPECT_EQ(outcome.err.find("--memory"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("PSNR"), std::string::npos) << outcome.out;
}

TEST_F(FieldCommand, AnInterruptEndsAPictureBeforeItIsComplete) {
  save_field(tiny_field(FieldApplication::nerf, 5), path("field.ingp"));
  const pid_t child =
      start({"render", path("field.ingp"), "--orbit", "1", "--size", "4000x3000", "-o", path("out"),
             "--device", "cpu", "--verbose", "--progress", "none"});
  // The program describes the field just before it draws it.
  siginfo_t ended{};
  while (text_of(path(".err")).find("field.ingp: NeRF") == std::string::npos && ended.si_pid == 0) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
  }
  EXPECT_EQ(ended.si_pid, 0);
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  EXPECT_FALSE(fs::exists(path("out/orbit_000.png")));
}

/// The words of --box for a cube of the field's frame.
std::string box_in_world(const NeuralField& field, double low, double high) {
  const glm::dvec3 a = world_from_field(field.placement, glm::dvec3(low)),
                   b = world_from_field(field.placement, glm::dvec3(high));
  return fmt::format("{},{},{},{},{},{}", a.x, a.y, a.z, b.x, b.y, b.z);
}

TEST_F(FieldCommand, BoxCropsPicturesAndFiles) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "60")).exit_code, 0);
  const std::string field = path("out/field_60.ingp"), cameras = path("out/cameras.json");
  const NeuralField whole = field_at("out/field_60.ingp");
  const std::string box = box_in_world(whole, 0.25, 0.625);
  ASSERT_EQ(run({"convert", field, path("part.ingp"), "--box", box}).exit_code, 0);
  const NeuralField part = field_at("part.ingp");
  EXPECT_EQ(part.parameters, whole.parameters);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(part.render_box.min[axis], 0.25, 1e-5);
    EXPECT_NEAR(part.render_box.max[axis], 0.625, 1e-5);
  }
  const std::vector<std::pair<std::string, std::vector<std::string>>> kPictures{
      {"a", {field}}, {"b", {field, "--box", box}}, {"c", {path("part.ingp")}}};
  for (const auto& [out, scene] : kPictures) {
    std::vector<std::string> all{"render"};
    all.insert(all.end(), scene.begin(), scene.end());
    all.insert(all.end(), {"--cameras", cameras, "-o", path(out), "--progress", "none"});
    const Outcome outcome = run(all);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_NE(text_of(path("a/view_11.png")), text_of(path("b/view_11.png")));
  EXPECT_EQ(text_of(path("b/view_11.png")), text_of(path("c/view_11.png")));
  const Outcome cut = run({"eval", path("out"), "--box", box, "--json"}),
                all = run({"eval", path("out"), "--json"});
  ASSERT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_NE(json::parse(cut.out)["psnr"], json::parse(all.out)["psnr"]);
  const Outcome bench = run({"bench", field, "--box", box, "--size", "40x30", "--orbit", "1",
                             "--frames", "1", "--progress", "none"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
}

TEST_F(FieldCommand, ABoxWithoutAPartOfTheFieldIsRefused) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "2")).exit_code, 0);
  const std::string field = path("out/field_2.ingp"), outside = "90,90,90,91,91,91";
  for (const auto& [box, phrase] :
       {std::pair{outside, "the field reaches from"},
        std::pair{std::string("1,0,0,0,1,1"), "smallest coordinates"}}) {
    expect_refusal({"render", field, "--orbit", "1", "-o", path("n"), "--box", box, "-q"}, 2,
                   {"--box", phrase});
    expect_refusal({"convert", field, path("b.ingp"), "--box", box}, 2, {"--box", phrase});
    expect_refusal({"convert", field, path("b.ply"), "--box", box}, 2, {"--box", phrase});
  }
  expect_refusal(
      {"render", write_scene(), "--orbit", "1", "-o", path("n"), "--box", "0,0,0,1,1,1", "-q"}, 2,
      {"--box", "applies only to neural fields", "--crop"});
  EXPECT_FALSE(fs::exists(path("b.ingp")));
}

}  // namespace
}  // namespace mote
