#pragma once

#include <functional>
#include <memory>

#include "app/viewer/viewer.h"

namespace mote {

/// Makes a viewer from the setup that `prepare` returns. Information and warnings that are logged
/// meanwhile, such as the reason for the chosen device, become notices: nobody sees the terminal
/// behind a window.
std::unique_ptr<Viewer> start_viewer(const std::function<ViewerSetup()>& prepare);

}  // namespace mote
