// Makes a large scene for benchmarks, and cameras in it. To get a dataset for training, render
// these cameras with `mote render` into the folder of the camera file.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "io/cameras/camera_file.h"
#include "io/splats/scene_format.h"
#include "splats.h"
#include "views.h"

namespace mote::garden {
namespace {

struct Request {
  std::string scene, cameras;
  std::size_t splats = 3'000'000;
  int sh_degree = 3, views = 24, width = 1920, height = 1080;
  std::uint64_t seed = 42;
};

void make(const Request& request) {
  ThreadPool threads(0);
  save_scene(make_splats(request.splats, request.sh_degree, request.seed, threads), request.scene);
  std::printf("%s: %zu splats of SH degree %d\n", request.scene.c_str(), request.splats,
              request.sh_degree);
  if (request.cameras.empty()) return;
  std::vector<SplitView> views;
  for (View& view : make_views(request.views, request.width, request.height)) {
    views.push_back({std::move(view), "train"});
  }
  write_camera_file(views, request.cameras);
  std::printf("%s: %d views\n", request.cameras.c_str(), request.views);
}

}  // namespace
}  // namespace mote::garden

int main(int argc, char** argv) {
  mote::garden::Request request;
  CLI::App app{"Makes a garden of splats, like a scene that was trained, of any number of them."};
  app.add_option("OUT", request.scene, "the scene to write, .ply or .spz")->required();
  app.add_option("--splats", request.splats, "how many")->check(CLI::Range(1, 200'000'000));
  app.add_option("--sh-degree", request.sh_degree, "of their colours")->check(CLI::Range(0, 4));
  app.add_option("--seed", request.seed, "of the random numbers");
  app.add_option("--cameras", request.cameras, "a transforms.json to write, with views of it");
  app.add_option("--views", request.views, "how many")->check(CLI::Range(1, 100'000));
  app.add_option("--width", request.width, "of the views, px")->check(CLI::Range(1, 65536));
  app.add_option("--height", request.height, "of the views, px")->check(CLI::Range(1, 65536));
  CLI11_PARSE(app, argc, argv);
  try {
    mote::garden::make(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_garden: %s\n", error.what());
    return 1;
  }
  return 0;
}
