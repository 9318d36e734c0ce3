#include "app/commands/viewing.h"

#include <system_error>

#include "app/gui/panel.h"
#include "app/jobs/picture_memory.h"
#include "app/jobs/shared_options.h"
#include "app/viewer/session/action.h"
#include "app/viewer/viewer_start.h"
#include "devices/devices.h"

namespace mote {

namespace fs = std::filesystem;

std::unique_ptr<Viewer> make_viewer(const Viewing& viewing, const GlobalOptions& globals) {
  auto viewer = start_viewer([&] {
    ViewerSetup setup;
    setup.backend = make_backend(globals.device, {.threads = viewing.threads, .isa = viewing.isa});
    setup.device = globals.device;
    setup.version = MOTE_VERSION;
    setup.settings_folder =
        viewing.settings.empty() ? settings_folder() : fs::path(viewing.settings);
    setup.seed = globals.seed;
    setup.splat_memory_gb = viewing.memory_gb;
    setup.panels = gui::panel_entries();
    return setup;
  });
  if (!viewing.size.empty()) {
    const ImageSize size = parse_image_size(viewing.size, "--size");
    check_picture_memory({size.width, size.height, kViewBytesPerPixel}, "--size");
    viewer->resize(size.width, size.height);
  }
  if (!viewing.offscreen) viewer->keep_for_crashes();
  return viewer;
}

std::unique_ptr<gui::Window> make_window(Viewer& viewer, const Viewing& viewing, Script* script) {
  const ViewerSettings& settings = viewer.session().settings();
  if (script == nullptr && viewer.session().project.found) viewer.act("project offer");
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
