#include "train/run/run_beginning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/file.h"
#include "core/fingerprint.h"
#include "core/log.h"
#include "core/natural_order.h"
#include "core/spelling.h"
#include "io/cameras/camera_file.h"

namespace mote {
namespace {

/// A hash of the dataset: names of photographs, cameras, sizes and split, or the target. A
/// checkpoint must not be resumed with another hash. Points are not included.
std::uint64_t dataset_fingerprint(const Dataset& dataset) {
  Fingerprint fingerprint;
  for (const Photograph& photograph : dataset.photographs) {
    const Camera& camera = photograph.camera;
    fingerprint.add_bytes(std::as_bytes(std::span(photograph.name)));
    fingerprint.add(camera.width);
    fingerprint.add(camera.height);
    fingerprint.add(camera.focal_px);
    fingerprint.add(camera.center_px);
    fingerprint.add(camera.cam_from_world);
    fingerprint.add(camera.translation);
  }
  fingerprint.add_bytes(std::as_bytes(std::span(dataset.train)));
  fingerprint.add_bytes(std::as_bytes(std::span(dataset.test)));
  if (dataset.target != nullptr) fingerprint.add(dataset.target->fingerprint());
  return fingerprint.value();
}

/// A hash of the photographs' pixels: the content of image and mask files, and the meaning of the
/// masks. It does not depend on the place of the files.
std::uint64_t pixels_fingerprint(const Dataset& dataset) {
  Fingerprint fingerprint;
  for (const Photograph& photograph : dataset.photographs) {
    fingerprint.add(photograph.pixels_signature);
  }
  return fingerprint.value();
}

}  // namespace

CheckpointTag checkpoint_tag(const RunRequest& request) {
  const std::string device = request.backend.description();
  const std::string layout =
      fmt::format("mote {}, {}", request.version, device.substr(0, device.find_first_of(" ,")));
  return {.dataset = dataset_fingerprint(request.data.dataset),
          .pixels = pixels_fingerprint(request.data.dataset),
          .layout = layout.substr(0, 63)};
}

std::optional<GoodCheckpoint> checkpoint_to_resume(const RunRequest& request,
                                                   const CheckpointTag& tag) {
  if (!request.resume) return {};
  request.folder.remove_unfinished();
  return newest_checkpoint(request.folder.checkpoints(), tag);
}

LoopOptions loop_options(const RunRequest& request, bool resumes) {
  LoopOptions options = request.train;
  options.scratch_folder = request.folder.path().string();
  options.resumes = resumes;
  return options;
}

void write_run_files(const RunRequest& request, const RunFolder& folder) {
  const Dataset& dataset = request.data.dataset;
  OutputFile config(folder.config());
  config.write(request.config);
  config.commit();
  if (dataset.target != nullptr) return;
  // In the order in which they were taken, so that a camera path can follow them.
  std::vector<SplitView> views;
  for (const auto* split : {&dataset.train, &dataset.test}) {
    for (const std::uint32_t index : *split) {
      const Photograph& photograph = dataset.photographs[index];
      views.push_back({view_of(photograph), split == &dataset.test ? "test" : "train"});
    }
  }
  std::ranges::sort(views, [](const SplitView& a, const SplitView& b) {
    return naturally_before(a.view.name, b.view.name);
  });
  write_camera_file(views, folder.cameras());
}

void write_beginning(const RunRequest& request, const Trainer& trainer) {
  const Dataset& dataset = request.data.dataset;
  write_run_files(request, request.folder);
  log_info("{}", dataset.source);
  for (const std::string& note : dataset.notes) log_info("{}", note);
  for (const std::string& warning : dataset.warnings) log_warning("{}", warning);
  const std::string& budget = request.train.time_budget;
  log_info("{} of {} on {}",
           budget.empty() ? number_of(trainer.steps_total(), "step")
                          : fmt::format("{} (--time-budget; --steps is ignored)", budget),
           request.plan.method(), request.backend.description());
  const Learner& learner = trainer.learner();
  log_info("at most {} {}", learner.most_count(), learner.model().many);
  if (trainer.steps_done() == 0) {
    const InitialRemarks& remarks = learner.initial_remarks();
    for (const std::string& note : remarks.notes) log_info("{}", note);
    for (const std::string& warning : remarks.warnings) log_warning("{}", warning);
  }
  if (request.train.exposure && !dataset.test.empty()) {
    log_info(
        "exposures are learned for training views; test views are compared as rendered, and their "
        "right halves also with an exposure fitted to the left halves");
  }
}

}  // namespace mote
