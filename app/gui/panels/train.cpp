// The training panel: starts and controls a run.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/train_form.h"
#include "app/gui/right_half.h"
#include "app/gui/widgets.h"
#include "app/viewer/training/run_place.h"
#include "app/viewer/view/run_photographs.h"
#include "app/viewer/workers/task_worker.h"
#include "core/progress.h"

namespace mote::gui {
namespace {

bool can_train(const RunFacts& run) {
  return run.can_go_on || run.checkpoint;
}

/// An open run that can be trained: the active scene's, else the one opened last. Null if there is
/// none.
const RunFacts* run_to_train(const Session& session) {
  const Document* active = session.documents.active();
  if (active != nullptr && can_train(active->run)) return &active->run;
  const RunFacts* found = nullptr;
  for (const Document& document : session.documents.list()) {
    if (can_train(document.run)) found = &document.run;
  }
  return found;
}

/// The panel's main button, in the accent colour and taller than others. Returns true if clicked.
bool main_button(const PanelContext& context, const std::string& label) {
  constexpr float kHeight_px = 36;
  const ImVec4 accent = context.theme.accent;
  const auto shade = [&](float factor) {
    return ImVec4{accent.x * factor, accent.y * factor, accent.z * factor, 1};
  };
  ImGui::PushStyleColor(ImGuiCol_Button, accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, shade(0.92f));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, shade(0.8f));
  ImGui::PushStyleColor(ImGuiCol_Text,
                        context.theme.dark ? ImVec4{0.08f, 0.07f, 0.05f, 1} : ImVec4{1, 1, 1, 1});
  ImGui::PushFont(context.theme.heading);
  const bool clicked = ImGui::Button(
      label.c_str(), {-std::numeric_limits<float>::min(), kHeight_px * context.theme.unit});
  context.places.add(label);
  ImGui::PopFont();
  ImGui::PopStyleColor(4);
  return clicked;
}

std::string text_of(const Session& session, const TrainStatus& status) {
  const double left =
      static_cast<double>(status.steps_total - std::min(status.step, status.steps_total));
  if (status.phase == TrainPhase::starting) {
    return status.loaded > 0 && status.loaded < 1
               ? fmt::format("Reading photographs, {:.0f} %", 100 * status.loaded)
               : "Starting";
  }
  if (status.phase == TrainPhase::stopping) return "Stopping: a checkpoint is written";
  if (status.phase == TrainPhase::paused) return "Paused";
  if (status.phase == TrainPhase::pausing) return "Pausing";
  if (!(status.steps_per_s > 0) || session.training.history.curve().empty()) return "Running";
  return fmt::format("{}, {} left", rate_text(status.steps_per_s, "steps"),
                     short_duration(left / status.steps_per_s));
}

class TrainPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const TrainView& training = context.session.training;
    if (training.status.phase != TrainPhase::idle) {
      draw_run(context, training);
      return;
    }
    const Document* target = target_to_train(context.session);
    const CameraSet* set = dataset_to_train(context.session);
    const RunFacts* run = run_to_train(context.session);
    if (training.end) draw_end(context, *training.end);
    if (run != nullptr && !(training.end && training.end->run.folder == run->folder)) {
      draw_open_run(context, *run);
    }
    if (set == nullptr && target == nullptr) {
      empty_state(context,
                  "Open a folder of photographs with poses, as COLMAP or NeRF tools write it, or a "
                  "mesh, a picture or a volume, or drop it on the window.",
                  icon_label(icons::kFolderOpen, "Open ..."), "open");
      return;
    }
    if (target != nullptr) {
      draw_target(context, *target);
      form_.choose_target(*target->target);
    } else {
      draw_dataset(context, *set);
      form_.choose_photographs();
    }
    draw_start(context);
    if (target != nullptr) {
      propose_place(target->id, target->source);
    } else {
      propose_place(set->id, set->source);
    }
    form_.draw(context);
    draw_place(context);
  }

 private:
  static void draw_target(const PanelContext& context, const Document& target) {
    ImGui::PushFont(context.theme.heading);
    short_text(context, target.name, ImGui::GetContentRegionAvail().x);
    ImGui::PopFont();
    value_row(context, "Data", target.format);
    value_row(context, "Model", std::string(field_title(*target.target)));
    ImGui::Spacing();
  }

  static void draw_dataset(const PanelContext& context, const CameraSet& set) {
    const Dataset& dataset = set.data->dataset;
    ImGui::PushFont(context.theme.heading);
    short_text(context, set.name, ImGui::GetContentRegionAvail().x);
    ImGui::PopFont();
    value_row(
        context, "Photographs",
        fmt::format("{}, {} of them for testing", dataset.photographs.size(), dataset.test.size()));
    if (!set.data->facts.kinds.empty()) {
      const ImageSize size = set.data->facts.kinds.front().trained;
      value_row(context, "Size", fmt::format("{} \xC3\x97 {} px", size.width, size.height));
    }
    value_row(context, "Points",
              short_number(static_cast<double>(dataset.points.positions.size())));
    ImGui::Spacing();
  }

  void draw_start(const PanelContext& context) {
    if (main_button(context, icon_label(icons::kPlay, "Start training"))) {
      ActionCall call("train start");
      for (const std::string& word : form_.words()) call.add(word);
      if (!out_.empty()) call.add("out=" + out_);
      context.actions.add(std::move(call));
    }
    ImGui::Spacing();
  }

  /// Checks the disk only occasionally and on a separate thread, since it may be slow.
  void propose_place(std::uint32_t id, const std::filesystem::path& source) {
    for (const TaskWorker::Reply& reply : disk_.take()) reply();
    const bool known = proposed_for_ == id && ++proposed_age_ <= kProposalFrames;
    if (known || disk_.pending() > 0) return;
    if (proposed_for_ != id) proposed_.clear();
    proposed_for_ = id;
    proposed_age_ = 0;
    disk_.add(
        [this, id, source] {
          const std::string folder = proposed_run_folder(source).string();
          return [this, id, folder] {
            if (id == proposed_for_) proposed_ = folder;
          };
        },
        false);
  }

  void draw_place(const PanelContext& context) {
    if (!section(context, "Results")) return;
    ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
    ImGui::InputTextWithHint("##out", proposed_.c_str(), &out_);
    context.places.add("Folder of the run");
    tooltip(context, out_.empty() ? proposed_ : out_);
    note(context, "Scenes, checkpoints and measurements, as written by mote train.");
  }

  static void draw_end(const PanelContext& context, const TrainEnd& end) {
    const std::string name = end.out.filename().string();
    ImGui::PushFont(context.theme.heading);
    ImGui::TextUnformatted(!end.fault.empty() ? "The run failed"
                           : end.stopped      ? "The run was stopped"
                                              : "The run is done");
    ImGui::PopFont();
    value_row(context, "Steps", fmt::format("{}", end.step));
    const auto& evaluations = context.session.training.history.evaluations();
    if (!evaluations.empty()) {
      value_row(context, "PSNR, test", fmt::format("{:.2f} dB", evaluations.back().psnr_db));
    }
    right_half_rows(context, context.session.training.history);
    value_row(context, "Folder", end.out.string());
    if (can_train(end.run)) draw_continue(context, end.run);
    rule();
  }

  /// Draws an earlier run that is open and can be trained.
  static void draw_open_run(const PanelContext& context, const RunFacts& run) {
    ImGui::PushFont(context.theme.heading);
    ImGui::TextUnformatted(run.can_go_on ? "An unfinished run" : "A finished run");
    ImGui::PopFont();
    value_row(context, "Folder", run.folder.string());
    draw_continue(context, run);
    rule();
  }

  static void draw_continue(const PanelContext& context, const RunFacts& run) {
    value_row(context, "Checkpoint",
              run.checkpoint ? fmt::format("after step {}", *run.checkpoint)
                             : std::string("none: the run starts again"));
    if (run.can_go_on) {
      wide_action_button(context, icon_label(icons::kPlay, "Continue this run"),
                         {"train continue", run.folder.string()});
    } else {
      wide_action_button(context, icon_label(icons::kPlay, "Train further"),
                         {"train further", run.folder.string()});
    }
  }

  static void rule() {
    ImGui::Spacing();
    ImGui::Separator();
    ImGui::Spacing();
  }

  static void draw_run(const PanelContext& context, const TrainView& training) {
    const TrainStatus& status = training.status;
    ImGui::PushFont(context.theme.heading);
    short_text(context, status.out.filename().string(), ImGui::GetContentRegionAvail().x);
    ImGui::PopFont();
    tooltip(context, status.out.string());
    const double total = static_cast<double>(std::max<std::uint64_t>(status.steps_total, 1));
    const bool starting = status.phase == TrainPhase::starting;
    progress_bar(context, starting ? status.loaded : static_cast<double>(status.step) / total,
                 text_of(context.session, status));
    ImGui::Spacing();
    draw_buttons(context, status);
    ImGui::Spacing();
    draw_numbers(context, training);
    draw_share(context);
    ImGui::Spacing();
    wide_action_button(context, icon_label(icons::kCurves, "Curves and photographs"),
                       {"panel", "curves"});
  }

  static void draw_buttons(const PanelContext& context, const TrainStatus& status) {
    const bool rests = status.phase == TrainPhase::paused || status.phase == TrainPhase::pausing;
    const bool runs = rests || status.phase == TrainPhase::running;
    if (rests) {
      wide_action_button(context, icon_label(icons::kPlay, "Resume"), "train resume", runs, 2);
    } else {
      wide_action_button(context, icon_label(icons::kPause, "Pause"), "train pause", runs, 2);
    }
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kStep, "Step"), "train step", rests);
    wide_action_button(context, icon_label(icons::kSave, "Save"), "train save", runs, 2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kStop, "Stop"), "train stop",
                       status.phase != TrainPhase::stopping);
  }

  static void draw_numbers(const PanelContext& context, const TrainView& training) {
    const TrainStatus& status = training.status;
    value_row(context, "Step", fmt::format("{} of {}", status.step, status.steps_total));
    value_row(context, "Loss",
              std::isnan(status.loss) ? std::string("-") : fmt::format("{:.4f}", status.loss));
    const auto& curve = training.history.curve();
    const auto& tests = training.history.test_views();
    const auto db = [](double psnr_db) { return fmt::format("{:.2f} dB", psnr_db); };
    value_row(context, "PSNR, training",
              curve.empty() ? std::string("-") : db(curve.back().psnr_train_db));
    value_row(context, "PSNR, test", tests.empty() ? std::string("-") : db(tests.back().psnr_db));
    right_half_rows(context, training.history);
    value_row(context, capital(training.counted), short_number(static_cast<double>(status.count)));
    value_row(context, "Strategy", status.strategy);
  }

  static void draw_share(const PanelContext& context) {
    ImGui::Spacing();
    double share = 100 * context.session.settings().view_share;
    constexpr double kLeast = 0, kMost = 95;
    note(context, "The view's share of the device");
    ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
    if (slider(context, "##share", ImGuiDataType_Double, &share, &kLeast, &kMost, "%.0f %%")) {
      context.actions.add("train share", std::round(share) / 100.0);
    }
    context.places.add("The view's share of the device");
    tooltip(
        context,
        R"(Share of the device's time for the view during training. With 0 % the view freezes until training pauses.)");
  }

  static constexpr int kProposalFrames = 120;

  TrainForm form_;
  std::string out_, proposed_;
  std::uint32_t proposed_for_ = 0;  // Document::id
  int proposed_age_ = 0;            // in frames
  TaskWorker disk_;                 // last member; its jobs do not use the others
};

}  // namespace

std::unique_ptr<Panel> make_train_panel() {
  return std::make_unique<TrainPanel>();
}

}  // namespace mote::gui
