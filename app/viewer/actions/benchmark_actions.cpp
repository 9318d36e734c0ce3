// Benchmark actions: measure the shown scene as `mote bench` does.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/jobs/picture_memory.h"
#include "app/jobs/shared_options.h"
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/movement/moving.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "app/viewer/session/settled_scene.h"
#include "app/viewer/workers/benchmark.h"

namespace mote {
namespace {

constexpr std::string_view kName = "benchmark run";

/// Sets the name of the shown scene and its sources.
void describe_scene(const Session& session, BenchmarkOrder& order) {
  order.sources = shown_parts(session).sources;
  for (const Document& document : session.documents.list()) {
    if (!document.shown || !has_model(document)) continue;
    order.name += (order.name.empty() ? "" : ", ") + document.name;
  }
}

void run(Session& session, const Arguments& arguments) {
  BenchmarkOrder order;
  order.scene = settled_scene(session, kName);
  OptionTable table;
  order.effort.describe(table);
  table.add({.name = "orbit",
             .target = &order.orbit,
             .help = "number of views on an orbit around the scene",
             .minimum = 1,
             .maximum = 100000});
  for (const std::string& word : arguments.words()) {
    if (word.find('=') == std::string::npos) {
      const ImageSize size = parse_image_size(word, std::string(kName));
      check_picture_memory({size.width, size.height, kViewBytesPerPixel}, "benchmark run");
      order.sizes.push_back(size);
    } else {
      set_named(table, word);
    }
  }
  if (order.sizes.empty()) {
    order.sizes.assign(usual_benchmark_sizes().begin(), usual_benchmark_sizes().end());
  }
  const TrainPhase training = session.training.status.phase;
  if (training != TrainPhase::idle && training != TrainPhase::paused) {
    throw UsageError("an active run would share the device", std::string(kName),
                     "pause or stop it first");
  }
  describe_scene(session, order);
  order.up_world = session.navigator.up_world();
  order.settings = render_settings(session);
  order.build = "mote " + session.version;
  session.benchmark.start("benchmark", [&session, order](const LongTask::Control& control) {
    run_benchmark(session.device, order, control, [&](const BenchReport& report) {
      control.reply([&session, report] { session.benchmark_reports.push_back(report); });
    });
  });
  session.benchmark_reports.clear();
}

void cancel_benchmark(Session& session, const Arguments&) {
  session.benchmark.cancel();
}

}  // namespace

std::vector<Action> benchmark_actions() {
  constexpr std::string_view kGroup = "Benchmark";
  return {
      {kName,
       kGroup,
       "measure the shown scene as mote bench does",
       "",
       {{"SIZE|NAME=VALUE", R"(sizes as WxH, default: several up to 4K; frames, warmup, orbit)",
         true, true}},
       run},
      {"benchmark cancel", kGroup, "stop the benchmark", "", {}, cancel_benchmark},
  };
}

}  // namespace mote
