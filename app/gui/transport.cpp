// The playback bar below the view, for moving scenes: play, time, frame, speed.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "app/viewer/movement/moving.h"
#include "app/viewer/workers/seconds.h"

namespace mote::gui {
namespace {

constexpr float kTrack_px = 4, kHandle_px = 6;

/// Text such as "0:04.27".
std::string clock_text(double time_s) {
  const double minutes = std::floor(time_s / 60);
  return fmt::format("{:.0f}:{:05.2f}", minutes, time_s - 60 * minutes);
}

void draw_buttons(const PanelContext& context, const SceneClock& clock) {
  const float gap = 2 * context.theme.unit;
  icon_button(context, icons::kStepBack, "time previous", "Previous frame");
  ImGui::SameLine(0, gap);
  icon_button(context, clock.playing() ? icons::kPause : icons::kPlay, "time toggle",
              clock.playing() ? "Pause" : "Play");
  ImGui::SameLine(0, gap);
  icon_button(context, icons::kStep, "time next", "Next frame");
  ImGui::SameLine(0, gap);
  icon_button(context, icons::kRefresh, {"time loop", clock.loop() ? "off" : "on"}, "Repeat",
              clock.loop());
}

/// Draws the time slider; times that can be shown at once are lighter.
void draw_slider(const PanelContext& context, const Document& document, float width) {
  const SceneClock& clock = context.session.clock;
  const float unit = context.theme.unit, height = ImGui::GetFrameHeight();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##time", {std::max(width, 1.0f), height});
  const float left = corner.x + kHandle_px * unit;
  const float length = std::max(1.0f, width - 2 * kHandle_px * unit);
  const float middle = std::round(corner.y + 0.5f * height), half = 0.5f * kTrack_px * unit;
  const double end_s = clock.range().end_s;
  const auto x = [&](double time_s) {
    return left + length * static_cast<float>(std::clamp(time_s / end_s, 0.0, 1.0));
  };
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto bar = [&](double from_s, double to_s, ImU32 color) {
    draw->AddRectFilled({x(from_s), middle - half}, {x(to_s), middle + half}, color, half);
  };
  bar(0, end_s, ImGui::GetColorU32(ImGuiCol_FrameBg));
  ImVec4 ready = context.theme.faint;
  ready.w *= 0.45f;
  if (document.movement) {
    for (const TimeSpan& span : document.movement->scene->ready()) {
      bar(span.from_s, span.to_s, ImGui::GetColorU32(ready));
    }
  }
  bar(0, clock.time_s(), ImGui::GetColorU32(context.theme.accent));
  draw->AddCircleFilled({x(clock.time_s()), middle}, kHandle_px * unit,
                        ImGui::GetColorU32(ImGuiCol_Text));
  const double under = end_s * std::clamp((ImGui::GetMousePos().x - left) / length, 0.0f, 1.0f);
  if (ImGui::IsItemActive() && std::abs(under - clock.time_s()) > 1e-4) {
    context.actions.add("time", under);
  }
  if (ImGui::IsItemHovered()) {
    tooltip(context, fmt::format("{}  {}", clock_text(under), picture_name(document, under)));
  }
}

std::string frame_text(const Document& document, double time_s) {
  const std::size_t count = picture_count(document);
  return count == 0 ? "" : fmt::format("{} / {}", picture_at(document, time_s) + 1, count);
}

/// Width of the text with every digit replaced by a zero. Text after changing numbers then stays in
/// place.
float steady_width(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c >= '1' && c <= '9'; }, '0');
  return std::ceil(ImGui::CalcTextSize(text.c_str()).x);
}

/// A changing number in a fixed width.
void draw_number(const std::string& text, float width, const ImVec4& color) {
  ImVec2 corner = ImGui::GetCursorScreenPos();
  corner.y += ImGui::GetStyle().FramePadding.y;
  ImGui::Dummy({width, ImGui::GetFrameHeight()});
  ImGui::GetWindowDrawList()->AddText(corner, ImGui::GetColorU32(color), text.c_str());
}

constexpr float kRate_em = 7.6f, kSpeed_em = 4.2f;

/// The frame rate that is reached, if it is below the intended one.
std::optional<double> lagging_rate(const Session& session, const Document& document) {
  constexpr double kNearly = 0.9;
  const double wanted = session.clock.speed() * picture_rate(document);
  const double reached = session.moments.rate(now_s());
  if (!session.clock.playing() || reached >= kNearly * wanted) return {};
  // There is no measurement yet right after the start.
  return reached > 0 || !session.in_time ? std::optional(reached) : std::nullopt;
}

/// Draws the frame rate, and the reached rate.
void draw_rate(const PanelContext& context, const Document& document) {
  constexpr std::array kRates{5, 10, 12, 15, 24, 25, 30, 50, 60};
  const double rate = picture_rate(document);
  const std::optional<double> reached = lagging_rate(context.session, document);
  const double wanted = context.session.clock.speed() * rate;
  const std::string shown = reached ? fmt::format("{:.0f} of {:.4g} fps", *reached, wanted)
                                    : fmt::format("{:.4g} fps", rate);
  ImGui::SetNextItemWidth(kRate_em * ImGui::GetFontSize());
  if (reached) ImGui::PushStyleColor(ImGuiCol_Text, context.theme.warning);
  const bool open = ImGui::BeginCombo("##rate", shown.c_str());
  if (reached) ImGui::PopStyleColor();
  if (!open) {
    tooltip(context, reached ? R"(Frames are read or rendered more slowly than they are played)"
                             : "Frames per second");
    return;
  }
  for (const int one : kRates) {
    if (ImGui::Selectable(fmt::format("{} fps", one).c_str(), one == rate)) {
      context.actions.add("time rate", one);
    }
  }
  ImGui::EndCombo();
}

void draw_speed(const PanelContext& context, const SceneClock& clock) {
  constexpr std::array kSpeeds{0.1, 0.25, 0.5, 1.0, 2.0, 4.0};
  ImGui::SetNextItemWidth(kSpeed_em * ImGui::GetFontSize());
  if (ImGui::BeginCombo("##speed", fmt::format("{:.3g}\u00D7", clock.speed()).c_str())) {
    for (const double speed : kSpeeds) {
      if (ImGui::Selectable(fmt::format("{:.3g}\u00D7", speed).c_str(), speed == clock.speed())) {
        context.actions.add("time speed", speed);
      }
    }
    ImGui::EndCombo();
  } else {
    tooltip(context, "Playback speed");
  }
}

}  // namespace

void draw_transport(const PanelContext& context, ImVec2 low, ImVec2 high) {
  const Session& session = context.session;
  const Document& document = *moving_document(session);
  const SceneClock& clock = session.clock;
  const float unit = context.theme.unit, em = ImGui::GetFontSize();
  const float height = high.y - low.y;
  ImGui::SetNextWindowPos(low);
  ImGui::SetNextWindowSize({std::max(1.0f, high.x - low.x), height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {12 * unit, std::max(0.0f, 0.5f * (height - ImGui::GetFrameHeight()))});
  ImGui::Begin("transport", nullptr, kFixedPart | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  draw_buttons(context, clock);
  const std::string time =
      fmt::format("{} / {}", clock_text(clock.time_s()), clock_text(clock.range().end_s));
  const std::string frame = frame_text(document, clock.time_s());
  const float time_width = steady_width(time);
  const float frame_width = steady_width(frame_text(document, clock.range().end_s));
  const bool any_rate = picture_rate(document) > 0;
  const float gap = 12 * unit;
  const float rest =
      time_width + frame_width + ((any_rate ? kRate_em : 0) + kSpeed_em) * em + 5 * gap;
  ImGui::SameLine(0, gap);
  draw_slider(context, document, std::max(3 * em, ImGui::GetContentRegionAvail().x - rest));
  ImGui::SameLine(0, gap);
  draw_number(time, time_width, ImGui::GetStyleColorVec4(ImGuiCol_Text));
  ImGui::SameLine(0, gap);
  draw_number(frame, frame_width, context.theme.faint);
  ImGui::SameLine(0, gap);
  if (any_rate) {
    draw_rate(context, document);
    ImGui::SameLine(0, gap);
  }
  draw_speed(context, clock);
  ImGui::GetWindowDrawList()->AddLine(low, {high.x, low.y},
                                      ImGui::GetColorU32(ImGuiCol_Border, 0.6f));
  ImGui::End();
}

}  // namespace mote::gui
