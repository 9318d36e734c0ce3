#include "train/run_beginning.h"

#include <fmt/format.h>

#include <vector>

#include "core/file.h"
#include "core/log.h"
#include "io/camera_file.h"

namespace mote {

void write_beginning(const RunRequest& request, const Trainer& trainer) {
  const Dataset& dataset = request.data.dataset;
  OutputFile config(request.folder.config());
  config.write(request.config);
  config.commit();
  std::vector<SplitView> views;
  for (const auto* split : {&dataset.train, &dataset.test}) {
    for (const std::uint32_t index : *split) {
      const Photograph& photograph = dataset.photographs[index];
      views.push_back(
          {{photograph.name, photograph.camera}, split == &dataset.test ? "test" : "train"});
    }
  }
  write_camera_file(views, request.folder.cameras());
  log_info("{}", dataset.source);
  for (const std::string& note : dataset.notes) log_info("{}", note);
  for (const std::string& warning : dataset.warnings) log_warning("{}", warning);
  const std::string& budget = request.train.time_budget;
  log_info("{} of {} on {}",
           budget.empty() ? fmt::format("{} steps", trainer.steps_total())
                          : fmt::format("{} (--time-budget; --steps does not count)", budget),
           request.train.strategy, request.backend.description());
  log_info("at most {} splats", trainer.most_splats());
  if (trainer.steps_done() == 0) {
    const InitialRemarks& remarks = trainer.initial_remarks();
    for (const std::string& note : remarks.notes) log_info("{}", note);
    for (const std::string& warning : remarks.warnings) log_warning("{}", warning);
  }
  if (request.train.exposure && !dataset.test.empty()) {
    log_info("exposures are learned for training views; test views are compared as rendered");
  }
}

}  // namespace mote
