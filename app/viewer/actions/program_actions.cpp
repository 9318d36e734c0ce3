// Actions of the program: settings, screenshots, quitting.
#include <algorithm>
#include <utility>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "core/options.h"

namespace mote {
namespace {

void take_screenshot(Session& session, const Arguments& arguments) {
  session.screenshots.push_back(named_file(session, arguments.word(0)));
}

void set_setting(Session& session, const Arguments& arguments) {
  const ViewerSettings before = session.settings();
  OptionTable table;
  session.file.settings.describe(table);
  set_named(table, arguments.word(0) + "=" + arguments.word(1));
  apply_changed_settings(session, before);
}

void toggle_setting(Session& session, const Arguments& arguments) {
  OptionTable table;
  session.file.settings.describe(table);
  const Option* option = table.find(arguments.word(0));
  const auto* value = option == nullptr ? nullptr : std::get_if<bool*>(&option->target);
  if (value == nullptr) arguments.refuse(0, "a setting that is on or off");
  **value = !**value;
}

void reset_settings(Session& session, const Arguments&) {
  const ViewerSettings before = std::exchange(session.file.settings, {});
  apply_changed_settings(session, before);
}

void forget_recent(Session& session, const Arguments&) {
  session.file.clear_recent();
}

void set_last_folder(Session& session, const Arguments& arguments) {
  session.file.last_folder = arguments.word(0);
}

void clear_notices(Session& session, const Arguments&) {
  session.notices.clear();
}

void dismiss(Session& session, const Arguments& arguments) {
  session.notices.dismiss(static_cast<std::uint64_t>(std::max(0, arguments.whole(0))));
}

void quit(Session& session, const Arguments&) {
  session.quitting = true;
  session.video.cancel();
  session.benchmark.cancel();
  session.import_task.cancel();
}

}  // namespace

std::vector<Action> program_actions() {
  constexpr std::string_view kGroup = "Program";
  return {
      {"screenshot",
       kGroup,
       "write the picture as a PNG when the view is still",
       "F12",
       {{"PATH", "a .png", false, false, PathUse::new_file, ".png"}},
       take_screenshot},
      {"set",
       kGroup,
       "change a setting",
       "",
       {{"NAME", "of the setting"}, {"VALUE", ""}},
       set_setting},
      {"set toggle",
       kGroup,
       "turn a setting on or off",
       "",
       {{"NAME", "of the setting"}},
       toggle_setting},
      {"set defaults", kGroup, "reset all settings to their defaults", "", {}, reset_settings},
      {"recent clear", kGroup, "clear the list of recent files", "", {}, forget_recent},
      {"folder",
       kGroup,
       "set the folder in which file dialogs start",
       "",
       {{"PATH", "of the folder", false, false, PathUse::folder}},
       set_last_folder},
      {"notices clear", kGroup, "dismiss all messages", "", {}, clear_notices},
      {"notices dismiss",
       kGroup,
       "dismiss one message",
       "",
       {{"NUMBER", "of the message"}},
       dismiss},
      {"quit", kGroup, "end the program; an active run is saved", "Ctrl+Q", {}, quit},
  };
}

}  // namespace mote
