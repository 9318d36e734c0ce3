#include "app/gui/right_half.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/widgets.h"

namespace mote::gui {

std::string right_half_help(const std::string& fitted) {
  return fmt::format(
      R"(Fitted to the left half of each test photograph: {}. The right half is measured as rendered, and again with this fit. Compare right halves with right halves only, since whole photographs contain other pixels.)",
      fitted);
}

std::string right_half_text(const RightHalfScore& score) {
  return fmt::format(
      "Right half: {:.2f} dB, {:.4f} SSIM as rendered; {:.2f} dB, {:.4f} SSIM fitted",
      score.plain_psnr_db, score.plain_ssim, score.psnr_db, score.ssim);
}

void right_half_rows(const PanelContext& context, const TrainHistory& history) {
  if (history.fitted_evaluations().empty()) return;
  const RightHalfScore& score = history.fitted_evaluations().back().score;
  const std::string help = right_half_help(history.fitted());
  const auto row = [&](std::string_view name, double psnr_db) {
    ImGui::BeginGroup();
    value_row(context, name, fmt::format("{:.2f} dB", psnr_db));
    ImGui::EndGroup();
    context.places.add(name);
    tooltip(context, help);
  };
  row("Right halves, plain", score.plain_psnr_db);
  row("Right halves, fitted", score.psnr_db);
}

}  // namespace mote::gui
