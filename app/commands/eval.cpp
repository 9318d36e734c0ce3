// `mote eval SCENE DATASET`: compares renderings of a scene with the photographs of a dataset.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/command.h"
#include "app/commands/options_of_run.h"
#include "app/commands/scene_loading.h"
#include "app/jobs/field_box.h"
#include "app/jobs/idle_options.h"
#include "app/jobs/inputs.h"
#include "app/jobs/run_config.h"
#include "app/jobs/shared_options.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/unfinished.h"
#include "devices/devices.h"
#include "io/images/own_file.h"
#include "model/learner.h"
#include "scene/scene_layout.h"
#include "train/fields/field_model.h"
#include "train/fields/fitting_learner.h"
#include "train/run/evaluation.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Eval : public Command {
 public:
  void describe(OptionTable& table) override {
    table
        .add({.name = "scene",
              .target = &scene_,
              .help = R"(scene file, or folder of a training run, whose newest scene is used)",
              .placeholder = "SCENE",
              .positional = true,
              .required = true})
        .add({.name = "data",
              .target = &config_.data,
              .help = "photographs with poses; default: those of the run",
              .placeholder = "DATASET",
              .positional = true})
        .add({.name = "out",
              .target = &out_,
              .help = "folder for the pictures gt, render, diff and for metrics.json",
              .aliases = {"-o", "--output", "--output-dir"},
              .placeholder = "DIR"});
    config_.dataset.describe(table);
    table.add(
        {.name = "background",
         .target = &background_,
         .help =
             R"(colour behind the scene; default: that of the scene's training run, else black)",
         .minimum = 0,
         .maximum = 1,
         .length = 3,
         .placeholder = "R,G,B"});
    table.add(
        {.name = "fit",
         .target = &fit_,
         .help =
             R"(parameters fitted to the left half of each test photograph before its right half is measured; clock: the clocks of test cameras; auto: those that the run learned for training photographs)",
         .choices = {"auto", "none", "exposure", "pose", "both", "clock"}});
    describe_box(table, box_,
                 "neural field: the part of the world that is drawn; default: its own box");
    describe_antialiased(table, antialiased_);
    describe_cpu_options(table, config_.threads, config_.isa);
  }

  void run(const GlobalOptions& globals) override {
    take_options_of_run({scene_, config_, background_, notes_, given});
    if (config_.data.empty()) {
      throw UsageError("is missing", "DATASET", "name the photographs to compare with");
    }
    if (background_.empty()) background_ = {0, 0, 0};
    if (fit_ != "auto") {
      config_.loop().exposure = fit_ == "exposure" || fit_ == "both";
      config_.loop().pose_opt = fit_ == "pose" || fit_ == "both";
      config_.loop().camera_clock = fit_ == "clock";
    }
    if (!out_.empty()) check_folder(out_);
    const auto backend =
        make_backend(globals.device, {.threads = config_.threads, .isa = config_.isa});
    const auto model = load_model_with_progress(scene_, globals).model;
    for (const std::string& warning : model->warnings()) log_warning("{}: {}", scene_, warning);
    constexpr std::string_view kOfSplats[] = {"antialiased"};
    for (const std::string& warning :
         idle_splat_option_warnings(given, kOfSplats, model->model())) {
      log_warning("{}", warning);
    }
    const ModelKind kind = model->model().kind;
    LoadedDataset data =
        load_with_progress(config_.data, with_modes_of(config_.dataset, kind), globals);
    for (const std::string& warning : data.dataset.warnings) log_warning("{}", warning);
    if (!out_.empty()) check_files(data.dataset, globals);
    if (data.dataset.target != nullptr) {
      if (!box_.empty()) {
        throw UsageError("applies only to comparisons with photographs", "--box", "leave it out");
      }
      warn_of_options_of_photographs(model->model(), data.facts);
      report_target(*backend, *model, data.dataset, globals);
      return;
    }
    crop_to_box(*model, box_);
    const std::uint64_t count = model->count();
    const Evaluation evaluation = compare(*backend, *model, data, globals);
    if (fit_ == "clock" && !evaluation.fitted_clocks) {
      log_warning(
          "--fit clock has no effect: no camera of {} has a known rate and test photographs alone",
          data.dataset.source);
    }
    report(evaluation, data.dataset, {model->model(), count}, globals);
  }

 private:
  fs::path metrics() const { return fs::path(out_) / "metrics.json"; }

  /// Throws, before the views are compared, if an existing file may not be replaced.
  void check_files(const Dataset& dataset, const GlobalOptions& globals) const {
    InputFiles inputs;
    add_photographs(dataset, inputs);
    for (const std::string& path : {scene_, config_.data, globals.config}) inputs.add(path);
    std::vector<fs::path> files{metrics()};
    for (const std::uint32_t index : evaluated_views(dataset)) {
      for (const char* kind : {"gt", "render", "diff"}) {
        files.push_back(fs::path(out_) / kind / (dataset.photographs[index].name + ".png"));
      }
    }
    if (const auto* target = dynamic_cast<const FieldTarget*>(dataset.target.get())) {
      for (const fs::path& file : target->picture_files()) files.push_back(fs::path(out_) / file);
    }
    constexpr std::array<std::string_view, 2> kEndings{".png", ".json"};
    std::set<fs::path> folders;
    for (const fs::path& file : files) {
      if (inputs.holds(file)) refuse_input(file);
      own_file(file, globals.yes);
      folders.insert(file.parent_path());
    }
    for (const fs::path& folder : folders) remove_unfinished(folder, kEndings);
  }

  Evaluation compare(Backend& backend, HostModel& model, LoadedDataset& data,
                     const GlobalOptions& globals) const {
    RenderSettings settings;
    settings.superseded = &interrupt_flag();
    settings.antialiased = antialiased_ == "auto" ? model.is_antialiased() : antialiased_ == "on";
    for (std::size_t c = 0; c < 3; ++c) {
      settings.background[c] = static_cast<float>(background_[c]);
    }
    const Dataset& dataset = data.dataset;
    std::unique_ptr<VelocityPictures> velocities;
    if (has_true_velocities(dataset, evaluated_views(dataset))) {
      velocities = velocity_pictures(backend, model, settings.antialiased);
    }
    const Drawn scene(backend, model, settings, config_.loop().pose_opt);
    const RenderAtTime render_at = [&](std::uint32_t index, int level, double time_s,
                                       Frame& frame) {
      View view = view_of(dataset.photographs[index]);
      view.camera = camera_at_level(view.camera, level);
      view.time_s = time_s;
      scene.render(view, frame);
    };
    const auto views = static_cast<double>(evaluated_views(dataset).size());
    Progress progress(globals.progress_mode(), "comparing", views, "views");
    return evaluate({.dataset = dataset,
                     .photos = *data.photos,
                     .background = settings.background,
                     .pictures = out_,
                     .progress =
                         [&](double done) {
                           throw_if_interrupted();
                           progress.set(done);
                         },
                     .fitting = scene.fitting(config_.loop(), dataset),
                     .render_at = config_.loop().camera_clock ? render_at : RenderAtTime(),
                     .velocities = velocities.get()},
                    [&](std::uint32_t index, Frame& frame) {
                      scene.render(view_of(dataset.photographs[index]), frame);
                    });
  }

  /// Warns of options that have no effect on comparisons with the file that a field is trained on.
  void warn_of_options_of_photographs(const ModelEntry& model, const DatasetFacts& facts) const {
    OptionTable table;
    DatasetOptions dataset;
    dataset.describe(table);
    std::set<std::string> of_dataset;
    for (const Option& option : table.options()) {
      if (given.contains(option.name)) of_dataset.insert(option.name);
    }
    RunConfig run;
    run.model = model.name;
    for (const std::string& warning : idle_option_warnings(of_dataset, {run, facts})) {
      log_warning("{}", warning);
    }
    for (const char* option : {"background", "fit"}) {
      if (!given.contains(option)) continue;
      log_warning("--{} has no effect: it applies only to comparisons with photographs", option);
    }
  }

  /// Compares a field with the target that it was trained on.
  void report_target(Backend& backend, HostModel& model, const Dataset& dataset,
                     const GlobalOptions& globals) const {
    auto* host = dynamic_cast<HostField*>(&model);
    if (host == nullptr) {
      throw Error("is no neural field", scene_, "give photographs with poses to compare with");
    }
    const FieldTarget& target = field_target(dataset, host->field().application);
    const std::string description = field_description(host->field());
    const FieldConfig config = host->field().config;
    const auto device = backend.upload_field(host->take());
    const fs::path reference = RunFolder(fs::path(scene_).parent_path()).reference();
    Progress progress(globals.progress_mode(), "comparing", 1, "");
    const std::vector<TargetScore> scores = target.score({.field = *device,
                                                          .config = config,
                                                          .pictures = out_,
                                                          .progress =
                                                              [&](double done) {
                                                                throw_if_interrupted();
                                                                progress.set(done);
                                                              },
                                                          .superseded = &interrupt_flag(),
                                                          .reference = reference});
    json result = scores_json(scores);
    result["scene"] = scene_;
    result["dataset"] = dataset.source;
    write_metrics(result, globals);
    if (globals.json) return;
    fmt::print("{}: {}\n{}\n{}\n", scene_, description, dataset.source, scores_line(scores));
    if (!out_.empty()) fmt::print("pictures: {}\n", out_);
  }

  /// Writes metrics.json into the folder for results, and prints it with --json.
  void write_metrics(const json& result, const GlobalOptions& globals) const {
    const std::string text = result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (!out_.empty()) {
      make_folders(out_);
      OutputFile file(metrics(), own_file(metrics(), globals.yes));
      file.write(text);
      file.commit();
    }
    if (globals.json) fmt::print("{}", text);
  }

  /// The scene on its device. A differentiable one also computes gradients, and needs the memory of
  /// training.
  class Drawn {
   public:
    Drawn(Backend& backend, HostModel& model, const RenderSettings& settings, bool differentiable)
        : settings_(settings) {
      if (differentiable) {
        differentiable_ = model.upload_for_gradients(backend, model.extent(), settings.antialiased);
      } else {
        drawable_ = model.upload(backend, model.extent());
      }
    }

    void render(const View& view, Frame& frame) const {
      Drawable& model = differentiable_ ? *differentiable_ : *drawable_;
      model.render(view, settings_, frame);
    }

    ViewFitting fitting(const LoopOptions& options, const Dataset& dataset) const {
      return {.exposure = options.exposure,
              .pose = options.pose_opt,
              .extent = measure_layout(dataset).extent,
              .background = settings_.background,
              .render = [this](const View& view, Frame& frame) { render(view, frame); },
              .differentiate =
                  [this](const LearnRequest& request) {
                    stop_if_superseded(settings_);
                    return differentiable_->differentiate(request);
                  }};
    }

   private:
    RenderSettings settings_;
    std::unique_ptr<Drawable> drawable_;
    std::unique_ptr<Differentiable> differentiable_;
  };

  /// A model and the number of its elements.
  struct Evaluated {
    const ModelEntry& model;
    std::uint64_t count;
  };

  void report(const Evaluation& evaluation, const Dataset& dataset, const Evaluated& evaluated,
              const GlobalOptions& globals) const {
    std::vector<std::string> notes = dataset.notes;
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    if (!evaluation.on_test) notes.emplace_back(kNoTest_note);
    json result = evaluation_json(evaluation);
    result["scene"] = scene_;
    result[std::string(evaluated.model.many)] = evaluated.count;
    result["dataset"] = dataset.source;
    result["notes"] = notes;
    result["background"] = background_;
    write_metrics(result, globals);
    if (globals.json) return;
    fmt::print("{}: {} {}\n{}\n", scene_, evaluated.count, evaluated.model.many, dataset.source);
    for (const std::string& note : notes) fmt::print("{}\n", note);
    fmt::print("{}", evaluation_text(evaluation, evaluation.views.size()));
    for (const auto& lines :
         {motion_lines(evaluation), fitted_lines(evaluation), poor_view_lines(evaluation)}) {
      for (const std::string& line : lines) fmt::print("{}\n", line);
    }
    if (!out_.empty()) {
      fmt::print("pictures: {}/gt, render and diff (differences times {})\n", out_, kDiffGain);
    }
  }

  static constexpr const char* kNoTest_note =
      "there are no test views: these scores are of training views, and say little about other "
      "views";

  std::string scene_, out_, antialiased_ = "auto", fit_ = "auto";
  RunConfig config_;
  std::vector<double> background_, box_;
  std::vector<std::string> notes_;
};

}  // namespace

extern const CommandEntry kEvalCommand{
    "eval", "PSNR and SSIM of a scene compared with photographs",
    R"(Compares the test views: every 8th photograph by name unless --test-every or the dataset
defines others, or all views if there are none. PSNR and SSIM (11x11 Gaussian window) are
means over the views. Photographs with lens distortion are first undistorted and cropped for
splats; neural fields are drawn through the lens (--lens-mode), as in training. --fit fits
parameters to the left half of each test photograph and measures its right half, in addition to
the scores of whole photographs (docs/training.md); clocks of cameras are fitted to all of their
test photographs, which are then measured again as a whole (docs/moving.md).)",
    make_command<Eval>};

}  // namespace mote
