#pragma once

#include <string>

#include "app/gui/panel.h"
#include "app/viewer/train_history.h"

namespace mote::gui {

/// Says how scores of right halves are made, and what they compare with. `fitted` is
/// TrainHistory::fitted().
std::string right_half_help(const std::string& fitted);

/// "Right half: 23.40 dB, 0.8500 SSIM as rendered; 25.10 dB, 0.8700 SSIM fitted".
std::string right_half_text(const RightHalfScore& score);

/// Two rows with the PSNR of the last evaluation's right halves, plain and fitted; none where the
/// run fits no test views.
void right_half_rows(const PanelContext& context, const TrainHistory& history);

}  // namespace mote::gui
