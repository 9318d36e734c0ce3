// The photographs panel: thumbnails of the dataset; a click moves the view to a photograph's
// camera.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "app/gui/camera_widgets.h"
#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/panels/panels.h"
#include "app/gui/right_half.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/run_photographs.h"
#include "core/spelling.h"

namespace mote::gui {
namespace {

class PhotographsPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const CameraSet* set = shown_cameras(context.session);
    if (set == nullptr) {
      empty_state(context, "Photographs of the open dataset appear here.",
                  icon_label(icons::kFolderOpen, "Open ..."), "open");
      return;
    }
    const auto of_run = photographs_of_run(context.session, *set);
    const auto scores = scores_of(of_run);
    draw_head(context, *set, scores);
    sort(*set, scores);
    draw_strip(context, *set, of_run);
  }

 private:
  /// PSNR of each photograph in the current or last run, dB; NaN if unknown.
  static std::vector<double> scores_of(const std::vector<PhotographOfRun>& of_run) {
    std::vector<double> scores;
    for (const PhotographOfRun& one : of_run) scores.push_back(one.score.psnr_db);
    return scores;
  }

  void draw_head(const PanelContext& context, const CameraSet& set,
                 const std::vector<double>& scores) {
    const auto tests = std::count_if(set.views.begin(), set.views.end(),
                                     [](const ViewMark& view) { return view.test; });
    ImGui::AlignTextToFramePadding();
    const std::string count =
        fmt::format("{}, {} of them for testing", number_of(set.views.size(), "view"), tests);
    if (context.session.cameras.size() > 1) {
      camera_set_choice(context, 12 * ImGui::GetFontSize());
      ImGui::SameLine();
      note(context, count);
    } else {
      note(context, set.name + ": " + count);
    }
    const bool any =
        std::any_of(scores.begin(), scores.end(), [](double score) { return !std::isnan(score); });
    if (!any) {
      by_score_ = false;
      return;
    }
    const float width = 13 * ImGui::GetFontSize();
    ImGui::SameLine(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
    ImGui::BeginChild("order", {width, ImGui::GetFrameHeight()}, false, kInnerPart);
    static constexpr std::array<std::string_view, 2> kOrders{"By name", "Worst first"};
    const int clicked = choice_row(context, "order", kOrders, by_score_ ? 1 : 0);
    if (clicked >= 0) by_score_ = clicked == 1;
    ImGui::EndChild();
  }

  void sort(const CameraSet& set, const std::vector<double>& scores) {
    if (by_score_) {
      order_ = ordered_by(scores, false);
    } else {
      order_.resize(set.views.size());
      std::iota(order_.begin(), order_.end(), 0u);
    }
  }

  void draw_strip(const PanelContext& context, const CameraSet& set,
                  const std::vector<PhotographOfRun>& of_run) {
    ImGui::BeginChild("strip", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar | kInnerPart);
    // The mouse wheel scrolls the strip.
    if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0) {
      ImGui::SetScrollX(ImGui::GetScrollX() - 120 * context.theme.unit * ImGui::GetIO().MouseWheel);
    }
    const float text = ImGui::GetTextLineHeightWithSpacing();
    const float height =
        std::max(24.0f, ImGui::GetContentRegionAvail().y - text - 4 * context.theme.unit);
    const Camera& shape = set.views.front().camera;
    const float aspect = static_cast<float>(shape.width) / static_cast<float>(shape.height);
    const float width = std::floor(height * std::clamp(aspect, 0.5f, 2.0f));
    const float step = width + 8 * context.theme.unit;
    const float left = ImGui::GetScrollX();
    const float right = left + ImGui::GetWindowWidth();
    std::vector<std::uint32_t> visible;
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const float x = static_cast<float>(place) * step;
      ImGui::SetCursorPos({x, 0});
      // The keyboard moves to the card beyond the edge, which then scrolls into view.
      if (x + width < left - step || x > right + step) {
        ImGui::Dummy({width, height});
        continue;
      }
      visible.push_back(order_[place]);
      draw_card(context, set, order_[place], of_run[order_[place]].score, {width, height});
    }
    ImGui::EndChild();
    request_thumbnails(context, set, visible);
  }

  void draw_card(const PanelContext& context, const CameraSet& set, std::size_t i,
                 const PhotographScore& of_run, ImVec2 size) const {
    const double score = of_run.psnr_db;
    const ViewMark& view = set.views[i];
    const auto& at = context.session.photograph;
    const bool here = at && at->set == set.id && at->index == i;
    ImGui::PushID(static_cast<int>(i));
    ImGui::BeginGroup();
    const ImVec2 place = ImGui::GetCursorPos(), corner = ImGui::GetCursorScreenPos();
    context.pictures.show(view.thumbnail, size);
    ImGui::SetCursorPos(place);
    if (ImGui::InvisibleButton("stand", size)) {
      for (ActionCall& call : calls_to_photograph(context.session, set, i)) {
        context.actions.add(std::move(call));
      }
    }
    const bool hovered = ImGui::IsItemHovered();
    context.places.add(view.name);
    std::string help = view.name;
    if (view.test) help += "\nA test view, not trained on";
    if (!std::isnan(score)) help += fmt::format("\n{:.2f} dB PSNR", score);
    if (of_run.right_half) help += "\n" + right_half_text(*of_run.right_half);
    tooltip(context, help);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end{corner.x + size.x, corner.y + size.y};
    const float unit = context.theme.unit;
    if (here || hovered) {
      const ImVec4 color = here ? context.theme.accent : context.theme.faint;
      list->AddRect(corner, end, ImGui::GetColorU32(color), 3 * unit, 0, 2 * unit);
    }
    if (view.test) {
      draw_badge(context, "test", {corner.x + 4 * unit, corner.y + 4 * unit}, kTestColor);
    }
    if (!std::isnan(score)) draw_score(context, score, {end.x - 4 * unit, end.y - 4 * unit});
    ImGui::PushFont(context.theme.small);
    short_text(context, view.name, size.x);
    context.places.add(fmt::format("Name of {}", view.name));
    ImGui::PopFont();
    ImGui::EndGroup();
    ImGui::PopID();
  }

  static constexpr ImU32 kTestColor = IM_COL32(255, 190, 90, 255);
  static constexpr ImU32 kScoreColor = IM_COL32(235, 235, 235, 255);

  /// Draws the score on the picture, so that the whole width below is the name's.
  static void draw_score(const PanelContext& context, double score, ImVec2 end) {
    const std::string number = fmt::format("{:.1f}", score);
    const float inset = 4 * context.theme.unit;
    ImGui::PushFont(context.theme.small);
    const ImVec2 size = ImGui::CalcTextSize(number.c_str());
    ImGui::PopFont();
    draw_badge(context, number.c_str(), {end.x - size.x - 2 * inset, end.y - size.y - inset},
               kScoreColor);
  }

  static void draw_badge(const PanelContext& context, const char* text, ImVec2 corner,
                         ImU32 color) {
    ImGui::PushFont(context.theme.small);
    const ImVec2 size = ImGui::CalcTextSize(text);
    const float inset = 4 * context.theme.unit;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, {corner.x + size.x + 2 * inset, corner.y + size.y + inset},
                        IM_COL32(0, 0, 0, 170), 3 * context.theme.unit);
    list->AddText({corner.x + inset, corner.y + inset / 2}, color, text);
    ImGui::PopFont();
  }

  bool by_score_ = false;
  std::vector<std::uint32_t> order_;  // of the views
};

}  // namespace

std::unique_ptr<Panel> make_photographs_panel() {
  return std::make_unique<PhotographsPanel>();
}

}  // namespace mote::gui
