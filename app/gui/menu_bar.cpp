// The menus: actions by group, with their keys.
#include <string>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/widgets.h"
#include "app/viewer/session/settled_scene.h"

namespace mote::gui {
namespace {

/// A menu row that requests an action. It shows the key, which calls the action without arguments.
void item(const PanelContext& context, const char* label, const ActionCall& call,
          bool enabled = true, bool chosen = false) {
  const std::string key(call.values.empty() ? call.action->key : "");
  if (call.action->possible != nullptr) enabled &= call.action->possible(context.session);
  const std::string shown = label;
  if (ImGui::MenuItem(shown.c_str(), key.empty() ? nullptr : key.c_str(), chosen, enabled)) {
    context.actions.add(call);
  }
  context.places.add(shown);
}

void recent_menu(const PanelContext& context) {
  const auto& recent = context.session.file.recent();
  const bool open = ImGui::BeginMenu("Open recent", !recent.empty());
  context.places.add("Open recent");
  if (!open) return;
  int number = 0;
  for (const std::filesystem::path& path : recent) {
    ImGui::PushID(number++);
    item(context, path.string().c_str(), {"open", path.string()});
    ImGui::PopID();
  }
  ImGui::Separator();
  item(context, "Clear the list", "recent clear");
  ImGui::EndMenu();
}

void file_menu(const PanelContext& context) {
  const Session& session = context.session;
  item(context, "Open ...", "open");
  item(context, "Open project ...", "project open");
  recent_menu(context);
  item(context, "Import photographs ...", "import photographs", !session.importing);
  item(context, "Stop opening", "cancel", session.loading);
  item(context, "Close", "close");
  ImGui::Separator();
  item(context, "Save project", "project save");
  item(context, "Save project as ...", "project save as");
  ImGui::Separator();
  item(context, "Export ...", "export");
  item(context, "Save the picture ...", "screenshot", session.frame != nullptr);
  item(context, "Save a picture of the window ...", "screenshot window");
  ImGui::Separator();
  item(context, "Quit", "quit");
}

void edit_menu(const PanelContext& context) {
  item(context, "Undo", "undo");
  item(context, "Redo", "redo");
  ImGui::Separator();
  item(context, "Select all", "select all");
  item(context, "Select nothing", "select none");
  item(context, "Invert the selection", "select invert");
  ImGui::Separator();
  item(context, "Hide the selection", "select hide");
  item(context, "Show only the selection", "select isolate");
  item(context, "Show hidden splats", "select show");
  item(context, "Delete the selection", "delete");
  item(context, "Separate the selection", "separate");
  item(context, "Merge the shown scenes", "merge");
  item(context, "Remove the crop box", "box clear");
}

void view_menu(const PanelContext& context) {
  const Session& session = context.session;
  for (const RenderMode& mode : render_modes()) {
    item(context, mode_title(mode).c_str(), {"mode", mode.name}, mode_fault(session, mode).empty(),
         session.view.mode == &mode);
    tooltip(context, mode.help);
  }
  ImGui::Separator();
  item(context, "Statistics", {"set toggle", "statistics"}, true, session.settings().statistics);
  item(context, "Pixel values", {"set toggle", "pixel-values"}, true,
       session.settings().pixel_values);
  item(context, "Ground grid", {"set toggle", "grid"}, true, session.settings().grid);
  item(context, "Axis cross", {"set toggle", "axis-cross"}, true, session.settings().axis_cross);
  item(context, "Cameras of photographs", {"set toggle", "frusta"}, true,
       session.settings().frusta);
  item(context, "Photographs in cameras", {"set toggle", "frustum-photographs"},
       session.settings().frusta, session.settings().frustum_photographs);
  const bool dark = context.theme.dark;
  item(context, "Light theme", {"set", "theme", dark ? "light" : "dark"}, true, !dark);
  ImGui::Separator();
  item(context, "View only", "window view", true, session.window.view_only);
  item(context, "Full screen", "window full");
}

void camera_menu(const PanelContext& context) {
  const bool any = !context.session.documents.empty();
  item(context, "Frame all", "camera frame", any);
  item(context, "Reset the view", "camera reset", any);
  item(context, "Level the horizon", "camera level");
  item(context, "Frame selection", "camera frame selection", any);
  ImGui::Separator();
  item(context, "Front", "camera front");
  item(context, "Back", "camera back");
  item(context, "Right", "camera right");
  item(context, "Left", "camera left");
  item(context, "Top", "camera top");
  item(context, "Bottom", "camera bottom");
  item(context, "Orthographic", "camera orthographic", true,
       context.session.navigator.is_orthographic());
  ImGui::Separator();
  item(context, "Play or pause", "time toggle", true, context.session.clock.playing());
  item(context, "Next frame", "time next");
  item(context, "Previous frame", "time previous");
  ImGui::Separator();
  item(context, "Next photograph", "photograph next");
  item(context, "Previous photograph", "photograph previous");
}

void panel_menu(const PanelContext& context) {
  const WindowState& window = context.session.window;
  for (const PanelRow& row : panel_table()) {
    const PanelEntry& entry = row.entry;
    item(context, std::string(entry.title).c_str(), {"panel", entry.name}, true,
         window.side == &entry || window.drawer == &entry);
    tooltip(context, entry.help);
  }
}

void menu(const PanelContext& context, const char* name, void (*draw)(const PanelContext&)) {
  const bool open = ImGui::BeginMenu(name);
  context.places.add(fmt::format("{} menu", name));  // distinct from the panels of the same names
  if (!open) return;
  draw(context);
  ImGui::EndMenu();
}

void help_menu(const PanelContext& context) {
  item(context, "Keys and mouse", "help", true, context.session.window.help);
  ImGui::Separator();
  ImGui::TextColored(context.theme.faint, "Mote %s", context.session.version.c_str());
}

}  // namespace

float draw_menu_bar(const PanelContext& context, bool opens) {
  const float unit = context.theme.unit;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {8 * unit, 6 * unit});
  if (!ImGui::BeginMainMenuBar()) {
    ImGui::PopStyleVar();
    return 0;
  }
  const float height = ImGui::GetWindowHeight();
  ImGui::PopStyleVar();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {10 * unit, 8 * unit});
  if (opens) ImGui::OpenPopup("File");
  menu(context, "File", file_menu);
  menu(context, "Edit", edit_menu);
  menu(context, "View", view_menu);
  menu(context, "Camera", camera_menu);
  menu(context, "Panels", panel_menu);
  menu(context, "Help", help_menu);
  ImGui::PopStyleVar();
  ImGui::EndMainMenuBar();
  return height;
}

}  // namespace mote::gui
