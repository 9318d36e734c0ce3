// The curves panel: the run's curves and the scores of its photographs.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "app/gui/camera_widgets.h"
#include "app/gui/fields.h"
#include "app/gui/panels/panels.h"
#include "app/gui/right_half.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/run_photographs.h"

namespace mote::gui {
namespace {

/// Mean over neighbouring values, since each step shows another photograph; fewer values at the
/// ends.
std::vector<double> running_mean(const std::vector<double>& values) {
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  const std::ptrdiff_t reach = std::clamp<std::ptrdiff_t>(count / 30, 2, 16);
  std::vector<double> means;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::ptrdiff_t side = std::min({reach, i, count - 1 - i});
    double sum = 0;
    for (std::ptrdiff_t k = i - side; k <= i + side; ++k)
      sum += values[static_cast<std::size_t>(k)];
    means.push_back(sum / static_cast<double>(2 * side + 1));
  }
  return means;
}

/// Columns of the history, for plots.
struct Series {
  std::vector<double> step, loss, psnr_train, counts, test_step, psnr_test, evaluated_step,
      psnr_evaluated, fitted_step, psnr_right_plain, psnr_right_fitted;
  std::vector<double> mean_loss, mean_psnr_train, mean_psnr_test;  // running

  void take(const TrainHistory& history) {
    *this = {};
    for (const CurvePoint& point : history.curve()) {
      step.push_back(point.step);
      loss.push_back(point.loss);
      psnr_train.push_back(point.psnr_train_db);
      counts.push_back(point.count);
    }
    for (const TestPoint& point : history.test_views()) {
      test_step.push_back(point.step);
      psnr_test.push_back(point.psnr_db);
    }
    for (const TestPoint& point : history.evaluations()) {
      evaluated_step.push_back(point.step);
      psnr_evaluated.push_back(point.psnr_db);
    }
    for (const FittedPoint& point : history.fitted_evaluations()) {
      fitted_step.push_back(point.step);
      psnr_right_plain.push_back(point.score.plain_psnr_db);
      psnr_right_fitted.push_back(point.score.psnr_db);
    }
    mean_loss = running_mean(loss);
    mean_psnr_train = running_mean(psnr_train);
    mean_psnr_test = running_mean(psnr_test);
  }
};

enum Column : ImGuiID { kPicture, kName, kUse, kPsnr, kSsim, kRightHalf, kFitted };

double key_of(const PhotographOfRun& one, ImGuiID column) {
  const std::optional<RightHalfScore>& right = one.score.right_half;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  switch (column) {
    case kPsnr:
      return one.score.psnr_db;
    case kSsim:
      return one.score.ssim;
    case kUse:
      return one.test ? 0 : 1;
    case kRightHalf:
      return right ? right->plain_psnr_db : kUnknown;
    case kFitted:
      return right ? right->psnr_db : kUnknown;
    default:
      return kUnknown;
  }
}

class CurvesPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const TrainView& training = context.session.training;
    if (training.history.curve().empty()) {
      empty_state(context,
                  R"(Loss, PSNR and the size of the model are plotted here during training.)",
                  "Train ...", {"panel", "train", "on"});
      return;
    }
    const bool changed = known_ != training.history_number;
    known_ = training.history_number;
    if (changed) series_.take(training.history);
    constexpr float kPlotsPart = 0.6f, kTable_em = 20, kRightHalves_em = 10.5f,
                    kLeastPlotsPart = 0.3f;
    const ImVec2 available = ImGui::GetContentRegionAvail();
    const float table =
        (kTable_em + (is_fitted(context) ? kRightHalves_em : 0)) * ImGui::GetFontSize();
    const float plots = std::floor(
        std::clamp(available.x - table, kLeastPlotsPart * available.x, kPlotsPart * available.x));
    draw_plots(context, {plots, available.y});
    ImGui::SameLine(0, 12 * context.theme.unit);
    draw_photographs(context, changed);
  }

 private:
  /// Whether the run has scores of right halves for its test views.
  static bool is_fitted(const PanelContext& context) {
    return !context.session.training.history.fitted_evaluations().empty();
  }

  void draw_plots(const PanelContext& context, ImVec2 available) const {
    const auto& colors = context.theme.curves;
    const float gap = 12 * context.theme.unit;
    const ImVec2 size{std::floor((available.x - 2 * gap) / 3), available.y};
    const Curve loss[] = {{series_.step, series_.loss, colors[0], "", false, true},
                          {series_.step, series_.mean_loss, colors[0], ""}};
    plot(context, "Loss", loss, size, {.logarithmic = true});
    ImGui::SameLine(0, gap);
    std::vector<Curve> psnr;
    if (is_fitted(context)) {
      psnr.push_back(
          {series_.fitted_step, series_.psnr_right_plain, context.theme.faint, "right half", true});
      psnr.push_back(
          {series_.fitted_step, series_.psnr_right_fitted, colors[3], "right half, fitted", true});
    }
    psnr.insert(psnr.end(),
                {{series_.step, series_.psnr_train, colors[0], "", false, true},
                 {series_.test_step, series_.psnr_test, colors[1], "", false, true},
                 {series_.evaluated_step, series_.psnr_evaluated, colors[2], "eval", true},
                 {series_.step, series_.mean_psnr_train, colors[0], "train"},
                 {series_.test_step, series_.mean_psnr_test, colors[1], "test"}});
    plot(context, "PSNR", psnr, size);
    ImGui::SameLine(0, gap);
    const Curve counts[] = {{series_.step, series_.counts, colors[3], ""}};
    plot(context, capital(context.session.training.counted), counts, size, {.from_zero = true});
  }

  void draw_photographs(const PanelContext& context, bool changed) {
    const CameraSet* set = dataset_of_run(context.session);
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit |
                                       ImGuiTableFlags_NoBordersInBody;
    if (set == nullptr) {
      note(context, "Open the run's dataset to see its photographs.");
      return;
    }
    const bool fitted = is_fitted(context);
    if (!ImGui::BeginTable(fitted ? "photographs and right halves" : "photographs", fitted ? 7 : 5,
                           kFlags)) {
      return;
    }
    draw_header(context, fitted);
    sort(context.session, *set, changed);
    std::vector<std::uint32_t> seen;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(order_.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        seen.push_back(order_[static_cast<std::size_t>(i)]);
        draw_row(context, *set, seen.back());
      }
    }
    clipper.End();
    ImGui::EndTable();
    request_thumbnails(context, *set, seen);
  }

  static void draw_header(const PanelContext& context, bool fitted) {
    const float em = ImGui::GetFontSize();
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_NoSort, 2.2f * em, kPicture);
    ImGui::TableSetupColumn("Photograph", ImGuiTableColumnFlags_WidthStretch, 1, kName);
    ImGui::TableSetupColumn("Use", 0, 2.5f * em, kUse);
    ImGui::TableSetupColumn("PSNR", ImGuiTableColumnFlags_DefaultSort, 3.1f * em, kPsnr);
    ImGui::TableSetupColumn("SSIM", 0, 3.1f * em, kSsim);
    if (fitted) {
      ImGui::TableSetupColumn("Right half", 0, 5 * em, kRightHalf);
      ImGui::TableSetupColumn("Fitted", 0, 3.6f * em, kFitted);
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (int column = 0; column < ImGui::TableGetColumnCount(); ++column) {
      ImGui::TableSetColumnIndex(column);
      const std::string name = ImGui::TableGetColumnName(column);
      ImGui::TableHeader(name.c_str());
      if (name.empty()) continue;
      const std::string what = "Sort by " + name;
      context.places.add(what);
      constexpr int kFirstOfHalves = 5;
      const bool of_halves = column >= kFirstOfHalves;
      const std::string& by = context.session.training.history.fitted();
      tooltip(context, of_halves ? what + ", dB PSNR\n" + right_half_help(by) : what);
    }
  }

  void sort(const Session& session, const CameraSet& set, bool changed) {
    ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs == nullptr || specs->SpecsCount == 0) return;
    const bool same = sorted_ == set.id && order_.size() == set.views.size();
    if (!specs->SpecsDirty && !changed && same) return;
    specs->SpecsDirty = false;
    sorted_ = set.id;
    of_run_ = photographs_of_run(session, set);
    const ImGuiTableColumnSortSpecs& by = specs->Specs[0];
    std::vector<double> keys;
    for (const PhotographOfRun& one : of_run_) {
      const auto place = static_cast<double>(keys.size());  // which is by name
      keys.push_back(by.ColumnUserID == kName ? place : key_of(one, by.ColumnUserID));
    }
    order_ = ordered_by(keys, by.SortDirection == ImGuiSortDirection_Descending);
  }

  static void lower(float drop) { ImGui::SetCursorPosY(ImGui::GetCursorPosY() + drop); }

  static void number_cell(const PanelContext& context, const char* format, double value,
                          float drop) {
    ImGui::TableNextColumn();
    lower(drop);
    if (std::isnan(value)) {
      ImGui::TextColored(context.theme.faint, "-");
    } else {
      ImGui::TextUnformatted(fmt::format(fmt::runtime(format), value).c_str());
    }
  }

  void draw_row(const PanelContext& context, const CameraSet& set, std::uint32_t i) const {
    const ViewMark& view = set.views[i];
    const PhotographOfRun& of_run = of_run_[i];
    const float height = 1.7f * ImGui::GetFontSize();
    const float drop = (height - ImGui::GetTextLineHeight()) / 2;  // to the row's middle
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow(0, height);
    ImGui::TableNextColumn();
    const bool here = context.session.photograph && context.session.photograph->set == set.id &&
                      context.session.photograph->index == i;
    const ImVec2 place = ImGui::GetCursorPos();
    if (ImGui::Selectable("##row", here, ImGuiSelectableFlags_SpanAllColumns, {0, height})) {
      for (ActionCall& call : calls_to_photograph(context.session, set, i)) {
        context.actions.add(std::move(call));
      }
    }
    context.places.add(view.name);
    const std::optional<RightHalfScore>& right = of_run.score.right_half;
    tooltip(context,
            view.name + (right ? "\n" + right_half_text(*right) : "") + "\nClick to move there");
    ImGui::SetCursorPos(place);
    context.pictures.show(view.thumbnail, {1.5f * height, height});
    ImGui::TableNextColumn();
    lower(drop);
    short_text(context, view.name, ImGui::GetContentRegionAvail().x);
    ImGui::TableNextColumn();
    lower(drop);
    ImGui::TextColored(of_run.test ? context.theme.curves[1] : context.theme.faint, "%s",
                       !of_run.known ? "-"
                       : of_run.test ? "test"
                                     : "train");
    number_cell(context, "{:.2f}", of_run.score.psnr_db, drop);
    number_cell(context, "{:.3f}", of_run.score.ssim, drop);
    if (is_fitted(context)) {
      number_cell(context, "{:.2f}", key_of(of_run, kRightHalf), drop);
      number_cell(context, "{:.2f}", key_of(of_run, kFitted), drop);
    }
    ImGui::PopID();
  }

  Series series_;
  std::uint64_t known_ = 0;              // TrainView::history_number
  std::uint32_t sorted_ = 0;             // the set that the table shows
  std::vector<PhotographOfRun> of_run_;  // of its views
  std::vector<std::uint32_t> order_;     // of them
};

}  // namespace

std::unique_ptr<Panel> make_curves_panel() {
  return std::make_unique<CurvesPanel>();
}

}  // namespace mote::gui
