// Measures the time from an edit of a few splats until a device can draw the scene: with a new
// upload, and with a change in place.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "devices/devices.h"
#include "splats.h"
#include "splats/splat_editor.h"

namespace mote {
namespace {

struct Request {
  std::size_t splats = 3'000'000, edited = 1000;
  int sh_degree = 3, rounds = 7, threads = 0;
  std::string device = "cpu";
};

double ms_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void print_median(const char* name, std::vector<double> times) {
  std::ranges::sort(times);
  std::printf("%-28s %10.2f ms (%.2f to %.2f)\n", name, times[times.size() / 2], times.front(),
              times.back());
}

/// Indices evenly spaced in the file, so that the splats lie all over the scene.
SplatMask spread(std::size_t splats, std::size_t count) {
  SplatMask mask(splats);
  for (std::size_t i = 0; i < count; ++i) mask.set(i * splats / count, true);
  return mask;
}

void measure(const Request& request) {
  const auto backend = make_backend(request.device, {.threads = request.threads, .isa = {}});
  ThreadPool threads(request.threads);
  SplatEditor editor(garden::make_splats(request.splats, request.sh_degree, 42, threads));
  std::vector<double> anew, selecting, in_place;
  std::unique_ptr<DeviceScene> scene;
  const double upload_ms = ms_of([&] { scene = backend->upload(editor.drawn()); });
  double first_change_ms = 0;
  DrawnState state = editor.drawn_state();
  // The first change also makes the device's list of places.
  for (int round = -1; round < request.rounds; ++round) {
    const double selecting_ms = ms_of([&] {
      editor.select(spread(request.splats, request.edited), MaskOperation::replace);
      editor.hide_selected();
    });
    const double in_place_ms = ms_of([&] {
      auto change = editor.change_since(state);
      CHECK(change.has_value());
      backend->update(*scene, change->splats, std::move(change->values));
    });
    if (round < 0) {
      first_change_ms = in_place_ms;
    } else {
      selecting.push_back(selecting_ms);
      in_place.push_back(in_place_ms);
      std::unique_ptr<DeviceScene> other;
      anew.push_back(ms_of([&] { other = backend->upload(editor.drawn()); }));
    }
    editor.undo();
    auto change = editor.change_since(state);
    CHECK(change.has_value());
    backend->update(*scene, change->splats, std::move(change->values));
  }
  std::printf("%s\n%zu of %zu splats of SH degree %d hidden, medians of %d rounds\n",
              backend->description().c_str(), request.edited, request.splats, request.sh_degree,
              request.rounds);
  std::printf("%-28s %10.2f ms\n", "the first upload", upload_ms);
  print_median("selecting and hiding", selecting);
  print_median("copy, sort and upload again", anew);
  std::printf("%-28s %10.2f ms\n", "the first change in place", first_change_ms);
  print_median("a change in place", in_place);
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  mote::Request request;
  CLI::App app{"Measures what an edit of some splats of a large scene costs."};
  app.add_option("--splats", request.splats, "of the scene")->check(CLI::Range(1, 200'000'000));
  app.add_option("--edited", request.edited, "number of splats that are hidden");
  app.add_option("--sh-degree", request.sh_degree, "of their colours")->check(CLI::Range(0, 4));
  app.add_option("--rounds", request.rounds, "of the measurement")->check(CLI::Range(1, 1000));
  app.add_option("--device", request.device, "auto, cpu or cuda[:N]");
  app.add_option("--threads", request.threads, "of the CPU; 0: all")->check(CLI::Range(0, 4096));
  CLI11_PARSE(app, argc, argv);
  try {
    mote::measure(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "edit_cost: %s\n", error.what());
    return 1;
  }
  return 0;
}
