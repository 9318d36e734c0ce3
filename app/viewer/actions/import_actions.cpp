// Actions that make datasets of photographs without poses, as `mote import` does.
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/importing.h"

namespace mote {
namespace {

void choose_for_import(Session& session, const Arguments& arguments) {
  choose_photographs(session, arguments.word(0));
}

void set_import_folder(Session& session, const Arguments& arguments) {
  session.photo_import.out = arguments.word(0);
  check_import(session);
}

void set_import_options(Session& session, const Arguments& arguments) {
  ImportOptions changed = session.photo_import.options;
  OptionTable table;
  changed.describe(table);
  for (const std::string& word : arguments.words()) set_named(table, word);
  session.photo_import.options = changed;
  check_import(session);
}

void begin_import(Session& session, const Arguments&) {
  start_import(session);
}

void cancel_import(Session& session, const Arguments&) {
  session.import_task.cancel();
}

}  // namespace

std::vector<Action> import_actions() {
  constexpr std::string_view kGroup = "Import";
  return {
      {"import photographs",
       kGroup,
       "choose photographs without poses, or a video, to make a dataset of them",
       "",
       {{"PATH", "a folder of photographs, or a video", false, false, PathUse::file_or_folder}},
       choose_for_import},
      {"import to",
       kGroup,
       "choose the folder of the imported dataset",
       "",
       {{"PATH", "a new folder, or one of an earlier import", false, false, PathUse::new_folder}},
       set_import_folder},
      {"import set",
       kGroup,
       "set options of the import",
       "",
       {{"NAME=VALUE", "options of mote import", false, true}},
       set_import_options},
      {"import start",
       kGroup,
       "find the poses of the chosen photographs with COLMAP, and open the dataset",
       "",
       {},
       begin_import},
      {"import cancel", kGroup, "stop the import; it can continue later", "", {}, cancel_import},
  };
}

}  // namespace mote
