#include "app/commands/viewing.h"

#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/gui/panel.h"
#include "app/jobs/picture_memory.h"
#include "app/jobs/shared_options.h"
#include "app/viewer/session/action.h"
#include "core/log.h"
#include "devices/devices.h"

namespace mote {

namespace fs = std::filesystem;

std::unique_ptr<Viewer> make_viewer(const Viewing& viewing, const GlobalOptions& globals) {
  // Warnings from before the window are shown in it, too, since nobody sees the terminal behind it.
  std::vector<std::string> warnings;
  std::optional<LogTap> tap(std::in_place, [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::warning) warnings.emplace_back(text);
  });
  ViewerSetup setup;
  setup.backend = make_backend(globals.device, {.threads = viewing.threads, .isa = viewing.isa});
  tap.reset();
  setup.device = globals.device;
  setup.version = MOTE_VERSION;
  setup.settings_folder = viewing.settings.empty() ? settings_folder() : fs::path(viewing.settings);
  setup.seed = globals.seed;
  setup.panels = gui::panel_entries();
  auto viewer = std::make_unique<Viewer>(std::move(setup));
  for (std::string& warning : warnings) {
    viewer->tell_logged(NoticeKind::warning, std::move(warning));
  }
  if (!viewing.size.empty()) {
    const ImageSize size = parse_image_size(viewing.size, "--size");
    check_picture_memory({size.width, size.height, kViewBytesPerPixel}, "--size");
    viewer->resize(size.width, size.height);
  }
  return viewer;
}

std::unique_ptr<gui::Window> make_window(Viewer& viewer, const Viewing& viewing, Script* script) {
  const ViewerSettings& settings = viewer.session().settings();
  const ImageSize size = viewing.size.empty() ? ImageSize{settings.width, settings.height}
                                              : parse_image_size(viewing.size, "--size");
  return std::make_unique<gui::Window>(viewer,
                                       viewing.offscreen
                                           ? gui::make_offscreen_host(size.width, size.height)
                                           : gui::open_window(size.width, size.height),
                                       gui::WindowOptions{.gpu = viewing.gpu,
                                                          .validation = viewing.validation,
                                                          .script = script,
                                                          .ends_with_script = viewing.offscreen,
                                                          .keeps_size = viewing.size.empty(),
                                                          .cache_folder = cache_folder()});
}

}  // namespace mote
