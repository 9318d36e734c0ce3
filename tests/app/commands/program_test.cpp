// The program as users meet it: exit codes, stdout and stderr.
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/program_fixture.h"

namespace mote {
namespace {

TEST_F(Program, GreetsAndNamesTheNextCommand) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("mote info"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Program, PrintsItsVersion) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.out.starts_with("mote "));
}

TEST_F(Program, VersionListsCommitBackendsInstructionSetsAndTheBundledScene) {
  const std::string text = run({"--version"}).out;
  for (const std::string word : {"commit ", "backends ", "cpu, vulkan", "instruction sets "}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--version", "--json"}, {"--json", "--version"}}) {
    const auto facts = nlohmann::json::parse(run(words).out);
    const std::string version = facts["version"], scene = facts["bundled_scene"];
    EXPECT_TRUE(text.starts_with("mote " + version + "\n"));
    EXPECT_NE(facts["commit"], "");
    EXPECT_EQ(facts["backends"].back()["name"], "cpu");
    const auto& sets = facts["instruction_sets"];
    EXPECT_TRUE(std::count(sets["built"].begin(), sets["built"].end(), sets["chosen"]));
    EXPECT_TRUE(fs::is_regular_file(scene)) << scene;
  }
}

TEST_F(Program, PrintsCompletionsAndTheManPage) {
  EXPECT_TRUE(run({"man"}).out.starts_with(".Dd "));
  EXPECT_TRUE(run({"completions", "zsh"}).out.starts_with("#compdef mote\n"));
  expect_refusal({"completions", "tcsh"}, 2, {"SHELL", "'tcsh'", "bash, zsh or fish"});
  expect_refusal({"completions"}, 2, {"SHELL", "missing"});
}

TEST_F(Program, EveryListedCommandHasHelp) {
  const Outcome help = run({"--help"});
  ASSERT_EQ(help.exit_code, 0);
  const std::size_t list = help.out.find("Commands:\n");
  ASSERT_NE(list, std::string::npos);
  std::istringstream lines(help.out.substr(list + 10));
  int commands = 0;
  for (std::string line; std::getline(lines, line) && !line.empty(); ++commands) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    const Outcome outcome = run({name, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << name;
    EXPECT_NE(outcome.out.find("Usage: mote " + name), std::string::npos) << name;
    EXPECT_NE(outcome.out.find("--progress"), std::string::npos) << name;
    EXPECT_EQ(outcome.err, "") << name;
    EXPECT_EQ(run({"help", name}).out, outcome.out) << name;
    EXPECT_EQ(run({name, "--no-such-flag"}).exit_code, 2) << name;
  }
  EXPECT_GE(commands, 3);
}

TEST_F(Program, WrongUsageIsRefusedWithTheNearestName) {
  expect_refusal({"inof", "x"}, 2, {"inof", "unknown command", "info"});
  expect_refusal({"info", "--jsno", "x"}, 2, {"--jsno", "unknown option", "--json"});
  expect_refusal({"--progres", "none", "info", "x"}, 2, {"--progres", "--progress"});
  expect_refusal({"info"}, 2, {"FILE", "missing", "mote info --help"});
  expect_refusal({"info", "a", "b"}, 2, {"b", "too many"});
  expect_refusal({"convert", "a.ply", "b.ply", "--keep-sh", "5"}, 2,
                 {"--keep-sh", "'5'", "0 to 4"});
  expect_refusal({"convert", "a.ply", "b.ply", "--keep-sh"}, 2, {"--keep-sh", "value"});
  expect_refusal({"convert", "a.ply", "b.ply", "--scale", "0"}, 2, {"--scale"});
  expect_refusal({"convert", "a.ply", "b.ply", "-t", "1,2"}, 2, {"--translate", "3"});
  expect_refusal({"convert", "a.ply", "b.ply", "--crop", "1,1,1,0,0,0"}, 2, {"--crop"});
  expect_refusal({"--progress", "fast", "devices"}, 2, {"--progress", "auto, plain or none"});
}

TEST_F(Program, AnOptionIsNotTheValueOfTheOneBeforeIt) {
  expect_refusal({"render", "a.ply", "--orbit", "1", "-o", "--size", "8x8"}, 2,
                 {"--out: needs a value, but --size follows", "mote render --help"});
  expect_refusal({"render", "a.ply", "--orbit", "--size", "8x8"}, 2, {"--orbit: needs a value"});
  expect_refusal({"render", "a.ply", "--orbit", "1", "--up", "-y", "-o", path("out")}, 1,
                 {"a.ply", "No such file"});
}

TEST_F(Program, ADamagedConfigurationIsNamedWithItsLine) {
  const std::string file = write_file("c.json", "{\n  \"frames\": 1,\n  \"orbit\": }\n");
  expect_refusal({"bench", "a.ply", "--config", file}, 2,
                 {"c.json, line 3: is not valid JSON: unexpected '}'; write"});
  const std::string large = write_file("d.json", "{\"frames\": 1e999}");
  expect_refusal({"bench", "a.ply", "--config", large}, 2, {"d.json", "too large"});
}

TEST_F(Program, BadInputIsRefusedWithFilePlaceAndRemedy) {
  const std::string scene = write_scene();
  expect_refusal({"info", path("nothing.ply")}, 1, {"nothing.ply", "No such file", "; check"});
  expect_refusal({"info", folder_.string()}, 1, {folder_.string(), "folder without cameras", "; "});
  expect_refusal({"info", write_file("a.txt", "hello")}, 1, {"a.txt", "unknown format", ".ply"});
  expect_refusal({"info", write_file("empty.ply", "")}, 1, {"empty.ply", "empty"});
  const std::string points = write_file("points.ply",
                                        "ply\nformat ascii 1.0\nelement vertex 1\n"
                                        "property float x\nproperty float y\nproperty float z\n"
                                        "end_header\n0 0 0\n");
  expect_refusal({"info", points}, 1, {"points.ply", "; "});
  expect_refusal({"convert", scene, path("b.xyz")}, 1, {"b.xyz", "extension", ".ply"});
  expect_refusal({"convert", scene, path("b.glb")}, 1, {"b.glb", "name of a mesh", ".spz"});
  expect_refusal({"convert", scene, path("b.ingp")}, 1,
                 {"b.ingp", "hold neural fields", ".ply, .spz, .4dgs or .splatv"});
  expect_refusal({"convert", scene, path("no/b.ply")}, 1, {"no/b.ply", "create the folder"});
  fs::create_directory(folder_ / "c.ply");
  expect_refusal({"convert", scene, path("c.ply")}, 1, {"c.ply", "is a directory"});
  expect_refusal({"convert", scene, path("d.ply"), "--crop", "50,50,50,51,51,51"}, 1,
                 {"scene.ply", "none of its 100 splats"});
  EXPECT_EQ(files(),
            (std::vector<std::string>{"a.txt", "c.ply", "empty.ply", "points.ply", "scene.ply"}));
}

TEST_F(Program, RefusesAReadOnlyFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string scene = write_scene();
  fs::create_directory(folder_ / "locked");
  fs::permissions(folder_ / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  expect_refusal({"convert", scene, path("locked/b.ply")}, 1,
                 {"locked/b.ply", "Permission denied"});
}

TEST_F(Program, RefusesAnOutputThatCannotTakeData) {
  const Outcome outcome = run({"convert", write_scene(), "/dev/full/x.ply"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("/dev/full/x.ply"), std::string::npos);
}

TEST_F(Program, OverwritesOnlyOnRequest) {
  const std::string scene = write_scene(), target = write_file("out.ply", "precious");
  expect_refusal({"convert", scene, target}, 1, {"out.ply", "exists", "-y"});
  EXPECT_EQ(text_of(target), "precious");
  EXPECT_EQ(run({"convert", scene, target, "-y"}).exit_code, 0);
  EXPECT_EQ(load_scene(target).count(), 100u);
  fs::create_hard_link(target, path("same.ply"));
  for (const std::string& input : {target, path("same.ply")}) {
    expect_refusal({"-y", "convert", input, target, "--keep-sh", "0"}, 1,
                   {"out.ply", "is an input"});
  }
  EXPECT_EQ(load_scene(target).sh_degree(), 1);
}

TEST_F(Program, InfoPrintsTheSameFactsAsTextAndAsJson) {
  const std::string scene = write_scene();
  for (const auto& words : {std::vector<std::string>{"info", scene, "--json"},
                            std::vector<std::string>{"--json", "info", scene}}) {
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["splats"], 100);
    EXPECT_EQ(json["sh_degree"], 1);
    EXPECT_EQ(json["file_bytes"], fs::file_size(scene));
    EXPECT_EQ(json["antialiased"], false);
    EXPECT_LE(json["bounds"]["all"]["min"][0], json["bounds"]["percentile_1_99"]["min"][0]);
    EXPECT_LE(json["opacity"]["p5"], json["opacity"]["p95"]);
    EXPECT_TRUE(json["warnings"].empty());
  }
  const Outcome text = run({"info", scene});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("splats     100"), std::string::npos);
  EXPECT_EQ(text.err, "");
}

TEST_F(Program, ConvertReportsKeptAndDroppedSplats) {
  const Outcome outcome = run({"convert", write_scene(), path("b.ply"), "--crop", "0,-9,-9,9,9,9",
                               "--translate", "-0.25,0,0", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const SplatCloud kept = load_scene(path("b.ply"));
  EXPECT_EQ(json["output"]["splats"], kept.count());
  EXPECT_EQ(json["dropped"]["crop"], 100 - kept.count());
  EXPECT_GT(kept.count(), 0u);
  EXPECT_LT(kept.count(), 100u);
  for (std::size_t i = 0; i < kept.count(); ++i) EXPECT_GE(kept.at(i, Field::mean_x), 0);
}

TEST_F(Program, DevicesListsTheCpuAndSaysHowToGetCuda) {
  const Outcome outcome = run({"devices", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_GE(json["machine"]["usable_cpus"], 1);
  EXPECT_GT(json["machine"]["memory_bytes"], 1 << 20);
  ASSERT_EQ(json["devices"].size(), 2u);
  const auto &cuda = json["devices"][0], &cpu = json["devices"][1];
  EXPECT_EQ(cpu["name"], "cpu");
  EXPECT_EQ(cpu["usable"], true);
  EXPECT_EQ(cuda["name"], "cuda");
  EXPECT_TRUE(cuda["gpus"].is_array());
  const Outcome text = run({"devices"});
  for (const auto& device : {cuda, cpu}) {
    const std::string detail = device["detail"];
    EXPECT_FALSE(detail.empty());
    EXPECT_NE(text.out.find(detail), std::string::npos) << text.out;
  }
  EXPECT_NE(text.out.find("auto takes cpu"), std::string::npos);
}

TEST_F(Program, WithoutCudaTheReasonIsPrintedAndAutoTakesTheCpu) {
  const auto devices = nlohmann::json::parse(run({"devices", "--json"}).out)["devices"];
  if (!devices[0]["gpus"].empty()) GTEST_SKIP() << "there is a GPU";
  const std::string detail = devices[0]["detail"];
  const std::string problem = detail.substr(0, detail.find(';'));
  const std::vector<std::string> render{"render", write_scene(), "--orbit", "1",
                                        "--size", "16x16",       "-o",      path("pictures")};
  for (const std::string device : {"cuda", "cuda:0"}) {
    std::vector<std::string> words = render;
    words.insert(words.end(), {"--device", device});
    expect_refusal(words, 1, {"device cuda", problem, "; ", "--device cpu"});
  }
  std::vector<std::string> told = render;
  told.emplace_back("--verbose");
  const Outcome automatic = run(told);
  EXPECT_EQ(automatic.exit_code, 0) << automatic.err;
  EXPECT_EQ(run(render).err.find("--device"), std::string::npos) << "there is nothing to choose";
  EXPECT_NE(automatic.err.find("--device auto takes cpu, not cuda: " + problem), std::string::npos)
      << automatic.err;
}

TEST_F(Program, RefusesAnUnknownDevice) {
  const std::string scene = write_scene();
  expect_refusal({"bench", scene, "--device", "gpu"}, 2, {"device gpu", "auto, cuda, cpu"});
  expect_refusal({"bench", scene, "--device", "cuda:x"}, 2, {"device cuda:x", "'x'", "NAME:0"});
  expect_refusal({"bench", scene, "--device", "cpu:1"}, 1, {"device cpu", "number 1"});
  // Commands that open no device refuse it too.
  expect_refusal({"info", scene, "--device", "gpu"}, 2, {"device gpu", "auto, cuda, cpu"});
  expect_refusal({"info", scene, "--device", "cuda:x"}, 2, {"device cuda:x", "'x'", "NAME:0"});
  expect_refusal({"--device", "gpu", "devices"}, 2, {"device gpu", "auto, cuda, cpu"});
  const std::string config = write_file("device.json", R"({"device": "gpu"})");
  expect_refusal({"convert", scene, path("copy.ply"), "--config", config}, 2, {"device gpu"});
  EXPECT_FALSE(fs::exists(path("copy.ply")));
  EXPECT_EQ(run({"info", scene, "--device", "cuda"}).exit_code, 0) << "it is known";
}

TEST_F(Program, HelpWritesFlagsAndNumbersAsTheyAreTyped) {
  const std::string help = run({"train", "--help"}).out;
  EXPECT_NE(help.find("--no-eval "), std::string::npos);
  EXPECT_NE(help.find("1 to 100000000"), std::string::npos);
  for (const char* odd : {"{", "}", "e+0"}) EXPECT_EQ(help.find(odd), std::string::npos) << odd;
  const std::string convert = run({"convert", "--help"}).out;
  EXPECT_NE(convert.find("to this duration (0.001 to 1000000 s)"), std::string::npos)
      << "a default that is not allowed is no value";
}

TEST_F(Program, AConfigFileSetsOptionsAndFlagsWinOverIt) {
  const std::string scene = write_scene();
  const std::string config = write_file("c.json", R"({"keep-sh": 0, "translate": [5, 0, 0]})");
  ASSERT_EQ(run({"convert", scene, path("a.ply"), "--config", config}).exit_code, 0);
  EXPECT_EQ(load_scene(path("a.ply")).sh_degree(), 0);
  EXPECT_GT(load_scene(path("a.ply")).at(0, Field::mean_x), 4);
  ASSERT_EQ(run({"convert", scene, path("b.ply"), "--config", config, "--keep-sh", "1"}).exit_code,
            0);
  EXPECT_EQ(load_scene(path("b.ply")).sh_degree(), 1);
  expect_refusal({"convert", scene, path("d.ply"), "--config", write_file("e.json", "{")}, 2,
                 {"e.json", "JSON"});
  expect_refusal(
      {"convert", scene, path("d.ply"), "--config", write_file("f.json", R"({"keepsh": 1})")}, 2,
      {"f.json", "keepsh", "keep-sh"});
}

TEST_F(Program, ArgumentsAfterTwoDashesAreFilesEvenIfTheyLookLikeFlags) {
  expect_refusal({"info", "--", "--json"}, 1, {"--json", "No such file"});
  EXPECT_EQ(run({"info", "--", write_scene()}).exit_code, 0);
}

TEST_F(Program, QuietPrintsOnlyData) {
  const Outcome outcome = run({"-q", "info", write_scene(), "--progress", "plain"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Program, ReportsAFailureToWriteItsOutput) {
  const Outcome outcome = [&] {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/full", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, path(".err").c_str(),
                                     O_WRONLY | O_CREAT, 0600);
    std::string name = MOTE_PROGRAM, command = "devices";
    char* arguments[] = {name.data(), command.data(), nullptr};
    pid_t child = -1;
    EXPECT_EQ(::posix_spawn(&child, MOTE_PROGRAM, &files, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    return finish(child);
  }();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
}

TEST_F(Program, AnInterruptWhileWritingLeavesNoPartialFile) {
  const std::string scene = write_scene(500'000, 0);
  bool was_interrupted = false;
  // An attempt may finish before the signal arrives; then its output must be whole.
  for (int attempt = 0; attempt < 20 && !was_interrupted; ++attempt) {
    const pid_t child = start({"convert", scene, path("b.ply"), "-y"});
    const auto ended = [&] {
      siginfo_t info{};
      return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
             info.si_pid != 0;
    };
    while (files().size() < 2 && !ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, attempt % 2 == 0 ? SIGINT : SIGTERM);
    const Outcome outcome = finish(child);
    was_interrupted = outcome.exit_code == 130;
    if (was_interrupted) {
      EXPECT_EQ(files(), std::vector<std::string>{"scene.ply"});
      EXPECT_EQ(outcome.err, "mote: interrupted\n");
    } else {
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      ASSERT_EQ(load_scene(path("b.ply")).count(), 500'000u);
      fs::remove(path("b.ply"));
    }
  }
  EXPECT_TRUE(was_interrupted);
}

}  // namespace
}  // namespace mote
