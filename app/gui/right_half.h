#pragma once

#include <string>

#include "app/gui/panel.h"
#include "app/viewer/training/train_history.h"

namespace mote::gui {

/// Explains how scores of right halves are computed and compared. `fitted` is
/// TrainHistory::fitted().
std::string right_half_help(const std::string& fitted);

/// Text such as "Right half: 23.40 dB, 0.8500 SSIM as rendered; 25.10 dB, 0.8700 SSIM fitted".
std::string right_half_text(const RightHalfScore& score);

/// Draws two rows with the last evaluation's PSNR of right halves, plain and fitted. Draws none if
/// the run does not fit its test views.
void right_half_rows(const PanelContext& context, const TrainHistory& history);

}  // namespace mote::gui
