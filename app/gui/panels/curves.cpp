// The run's curves, and how well each photograph is shown.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"
#include "app/viewer/action.h"

namespace mote::gui {
namespace {

/// Over the values around each, since steps show one photograph after another; fewer at the ends.
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

/// Columns of the history, as plots take them.
struct Series {
  std::vector<double> step, loss, psnr_train, splats, test_step, psnr_test, evaluated_step,
      psnr_evaluated;
  std::vector<double> mean_loss, mean_psnr_train, mean_psnr_test;  // running

  void take(const TrainHistory& history) {
    *this = {};
    for (const CurvePoint& point : history.curve()) {
      step.push_back(point.step);
      loss.push_back(point.loss);
      psnr_train.push_back(point.psnr_train_db);
      splats.push_back(point.splats);
    }
    for (const TestPoint& point : history.test_views()) {
      test_step.push_back(point.step);
      psnr_test.push_back(point.psnr_db);
    }
    for (const TestPoint& point : history.evaluations()) {
      evaluated_step.push_back(point.step);
      psnr_evaluated.push_back(point.psnr_db);
    }
    mean_loss = running_mean(loss);
    mean_psnr_train = running_mean(psnr_train);
    mean_psnr_test = running_mean(psnr_test);
  }
};

enum Column : ImGuiID { kPicture, kName, kUse, kPsnr, kSsim };

class CurvesPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const TrainView& training = context.session.training;
    if (training.history.curve().empty()) {
      empty_state(context, "Loss, PSNR and splats are drawn here while a run is at work.",
                  "Train ...", "panel train on");
      return;
    }
    const bool changed = known_ != training.history_known;
    known_ = training.history_known;
    if (changed) series_.take(training.history);
    constexpr float kPlotsPart = 0.6f, kTable_em = 20;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float table = kTable_em * ImGui::GetFontSize();
    const float plots = std::floor(std::min(kPlotsPart * room.x, room.x - table));
    draw_plots(context, {plots, room.y});
    ImGui::SameLine(0, 12 * context.theme.unit);
    draw_photographs(context, changed);
  }

 private:
  void draw_plots(const PanelContext& context, ImVec2 room) const {
    const auto& colors = context.theme.curves;
    const float gap = 12 * context.theme.unit;
    const ImVec2 size{std::floor((room.x - 2 * gap) / 3), room.y};
    const Curve loss[] = {{series_.step, series_.loss, colors[0], "", false, true},
                          {series_.step, series_.mean_loss, colors[0], ""}};
    plot(context, "Loss", loss, size, {.logarithmic = true});
    ImGui::SameLine(0, gap);
    const Curve psnr[] = {{series_.step, series_.psnr_train, colors[0], "", false, true},
                          {series_.test_step, series_.psnr_test, colors[1], "", false, true},
                          {series_.evaluated_step, series_.psnr_evaluated, colors[2], "eval", true},
                          {series_.step, series_.mean_psnr_train, colors[0], "train"},
                          {series_.test_step, series_.mean_psnr_test, colors[1], "test"}};
    plot(context, "PSNR", psnr, size);
    ImGui::SameLine(0, gap);
    const Curve splats[] = {{series_.step, series_.splats, colors[3], ""}};
    plot(context, "Splats", splats, size, {.from_zero = true});
  }

  /// The set whose photographs the run is trained on; null where it is not open.
  static const CameraSet* set_of(const Session& session) {
    const CameraSet* found = nullptr;
    for (const CameraSet& set : session.cameras) {
      const bool same = set.data && set.data == session.training.data;
      if (same && set.views.size() == session.training.history.photographs().size()) found = &set;
    }
    return found;
  }

  void draw_photographs(const PanelContext& context, bool changed) {
    const CameraSet* set = set_of(context.session);
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit |
                                       ImGuiTableFlags_NoBordersInBody;
    if (set == nullptr) {
      note(context, "Open the run's dataset to see its photographs.");
      return;
    }
    if (!ImGui::BeginTable("photographs", 5, kFlags)) return;
    const float em = ImGui::GetFontSize();
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_NoSort, 2.2f * em, kPicture);
    ImGui::TableSetupColumn("Photograph", ImGuiTableColumnFlags_WidthStretch, 1, kName);
    ImGui::TableSetupColumn("Use", 0, 2.5f * em, kUse);
    ImGui::TableSetupColumn("PSNR", ImGuiTableColumnFlags_DefaultSort, 3.1f * em, kPsnr);
    ImGui::TableSetupColumn("SSIM", 0, 3.1f * em, kSsim);
    ImGui::TableHeadersRow();
    sort(*set, context.session.training.history, changed);
    std::string missing;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(order_.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const std::uint32_t number = order_[static_cast<std::size_t>(i)];
        if (!set->views[number].thumbnail_asked) missing += fmt::format(" {}", number + 1);
        draw_row(context, *set, number);
      }
    }
    clipper.End();
    ImGui::EndTable();
    if (!missing.empty() && missing != wished_) context.actions.add("thumbnails" + missing);
    wished_ = missing;
  }

  void sort(const CameraSet& set, const TrainHistory& history, bool changed) {
    ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs == nullptr || specs->SpecsCount == 0) return;
    if (!specs->SpecsDirty && !changed && order_.size() == set.views.size()) return;
    specs->SpecsDirty = false;
    const ImGuiTableColumnSortSpecs& by = specs->Specs[0];
    const auto key = [&](std::uint32_t i) {
      const PhotographScore& score = history.photographs()[i];
      const double value = by.ColumnUserID == kPsnr   ? score.psnr_db
                           : by.ColumnUserID == kSsim ? score.ssim
                           : by.ColumnUserID == kUse  ? (set.views[i].test ? 0.0 : 1.0)
                                                      : static_cast<double>(i);
      return by.SortDirection == ImGuiSortDirection_Descending ? -value : value;
    };
    order_.resize(set.views.size());
    std::iota(order_.begin(), order_.end(), 0u);
    // What is not known yet comes last either way.
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const double key_a = key(a), key_b = key(b);
      if (std::isnan(key_a) || std::isnan(key_b)) return !std::isnan(key_a) && std::isnan(key_b);
      return key_a < key_b;
    });
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

  static void draw_row(const PanelContext& context, const CameraSet& set, std::uint32_t i) {
    const ViewMark& view = set.views[i];
    const PhotographScore& score = context.session.training.history.photographs()[i];
    const float height = 1.7f * ImGui::GetFontSize();
    const float drop = (height - ImGui::GetTextLineHeight()) / 2;  // to the row's middle
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow(0, height);
    ImGui::TableNextColumn();
    const bool here = context.session.photograph && context.session.photograph->set == set.id &&
                      context.session.photograph->index == i;
    const ImVec2 place = ImGui::GetCursorPos();
    if (ImGui::Selectable("##row", here, ImGuiSelectableFlags_SpanAllColumns, {0, height})) {
      context.actions.add("photograph " + as_word(view.name));
    }
    tooltip(context, view.name + "\nClick to stand there");
    ImGui::SetCursorPos(place);
    context.pictures.show(view.thumbnail, {1.5f * height, height});
    ImGui::TableNextColumn();
    lower(drop);
    short_text(context, view.name, ImGui::GetContentRegionAvail().x);
    ImGui::TableNextColumn();
    lower(drop);
    ImGui::TextColored(view.test ? context.theme.curves[1] : context.theme.faint,
                       view.test ? "test" : "train");
    number_cell(context, "{:.2f}", score.psnr_db, drop);
    number_cell(context, "{:.3f}", score.ssim, drop);
    ImGui::PopID();
  }

  Series series_;
  std::string wished_;                // thumbnails that were asked for last
  std::uint64_t known_ = 0;           // of TrainView::history_known
  std::vector<std::uint32_t> order_;  // of the photographs
};

}  // namespace

std::unique_ptr<Panel> make_curves_panel() {
  return std::make_unique<CurvesPanel>();
}

}  // namespace mote::gui
