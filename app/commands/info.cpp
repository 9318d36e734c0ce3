// `mote info FILE`: describes a scene, a dataset or a project.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/commands/info_facts.h"
#include "app/commands/scene_loading.h"
#include "app/jobs/inputs.h"
#include "app/jobs/shared_options.h"
#include "core/spelling.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_source.h"
#include "io/projects/project_file.h"
#include "io/splats/format_lists.h"
#include "model/moving/sequence_scene.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

class Info : public Command {
 public:
  void describe(OptionTable& table) override {
    table.add({.name = "file",
               .target = &file_,
               .help = fmt::format(
                   "scene ({}, detected by content), folder of such files, one per frame, "
                   "folder of a training run, dataset as for mote train, or project (.mote)",
                   listed(format_extensions(FormatUse::read))),
               .placeholder = "FILE",
               .positional = true,
               .required = true});
    describe_sequence_rate(table, frames_per_second_);
    dataset_.describe(table);
  }

  void run(const GlobalOptions& globals) override {
    const auto sequence = sequence_at(file_);
    if (!sequence && given.contains("sequence-fps")) {
      throw UsageError("applies only to frames: a folder of splat files, or a file of frames",
                       "--sequence-fps", "leave it out, or give frames instead of " + file_);
    }
    if (is_project_path(file_)) {
      refuse_dataset_options();
      print_project(globals);
      return;
    }
    if (!sequence && scene_file(file_) == file_ && may_hold_cameras(file_)) {
      print_dataset(globals);
      return;
    }
    refuse_dataset_options();
    if (sequence) {
      print_sequence(*sequence, globals);
      return;
    }
    print_model(load_model_with_progress(file_, globals), globals);
  }

 private:
  static void print_model(const LoadedModel& loaded, const GlobalOptions& globals) {
    switch (loaded.model->model().kind) {
      case ModelKind::splats: {
        const LoadedScene scene = splats_of(loaded);
        fmt::print("{}", globals.json ? json_text(splat_info_json(scene)) : splat_info_text(scene));
        break;
      }
      case ModelKind::field:
        fmt::print("{}",
                   globals.json ? json_text(field_info_json(loaded)) : field_info_text(loaded));
        break;
    }
  }

  void print_dataset(const GlobalOptions& globals) const {
    const LoadedDataset data = load_with_progress(file_, dataset_, globals);
    const std::string text =
        globals.json ? json_text(dataset_info_json(file_, data)) : dataset_info_text(file_, data);
    fmt::print("{}", text);
  }

  void print_sequence(const SplatSequence& sequence, const GlobalOptions& globals) const {
    const SequenceFacts facts = measure_sequence(sequence, frames_per_second_, globals);
    fmt::print("{}",
               globals.json ? json_text(sequence_info_json(facts)) : sequence_info_text(facts));
  }

  void print_project(const GlobalOptions& globals) const {
    const ProjectFacts facts = measure_project(file_);
    fmt::print("{}", globals.json ? json_text(project_info_json(facts)) : project_info_text(facts));
  }

  void refuse_dataset_options() {
    OptionTable table;
    dataset_.describe(table);
    for (const Option& option : table.options()) {
      if (given.contains(option.name)) {
        throw UsageError("applies only to datasets", "--" + option.name,
                         "leave it out, or give a dataset instead of " + file_);
      }
    }
  }

  static std::string json_text(const nlohmann::json& value) {
    return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  std::string file_;
  double frames_per_second_ = SequenceScene::kUsualRate;
  DatasetOptions dataset_;
};

}  // namespace

extern const CommandEntry kInfoCommand{"info", "describe a scene, a dataset or a project", "",
                                       make_command<Info>};

}  // namespace mote
