// Actions on open scenes: loading, and the list of scenes.
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/close_document.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/photograph_view.h"
#include "core/options.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

/// The named scene, or the active one.
const Document& chosen(const Session& session, const Arguments& arguments) {
  return arguments.has(0) ? session.documents.named(arguments.word(0)) : active_scene(session);
}

void open_scenes(Session& session, const Arguments& arguments) {
  for (const std::string& path : arguments.words()) {
    if (is_project_path(path) && arguments.size() > 1) {
      throw UsageError("replaces everything that is open", path, "open the project alone");
    }
    session.loader.open(path);
  }
}

void cancel_loading(Session& session, const Arguments&) {
  session.loader.cancel();
}

void close_scene(Session& session, const Arguments& arguments) {
  const Document& document = chosen(session, arguments);
  if (document.training) {
    throw UsageError("is being trained", document.name, "stop the training first");
  }
  close_document(session, document.id);
}

/// Whether the active scene can be closed.
bool any_to_close(const Session& session) {
  return any_scene(session) && !session.documents.active()->training;
}

void activate_scene(Session& session, const Arguments& arguments) {
  const Document& document = session.documents.named(arguments.word(0));
  session.documents.set_active(document.id);
  if (session.find_cameras(document.id) != nullptr) choose_cameras(session, document.id);
}

void show_scene(Session& session, const Arguments& arguments) {
  session.documents.set_shown(chosen(session, arguments).id, true);
}

void hide_scene(Session& session, const Arguments& arguments) {
  session.documents.set_shown(chosen(session, arguments).id, false);
}

void toggle_scene(Session& session, const Arguments& arguments) {
  const Document& document = chosen(session, arguments);
  session.documents.set_shown(document.id, !document.shown);
}

}  // namespace

std::vector<Action> scene_actions() {
  constexpr std::string_view kGroup = "Scenes";
  const std::vector<ActionArgument> which{
      {"SCENE", "its name, or its number in the list; default: the active scene", true}};
  return {
      {"open",
       kGroup,
       "open scenes, datasets, projects, folders of runs or of frames",
       "Ctrl+O",
       {{"PATH", "a file or a folder", false, true, PathUse::file_or_folder}},
       open_scenes},
      {"cancel", kGroup, "stop opening", "", {}, cancel_loading},
      {"close", kGroup, "close a scene and its cameras", "Ctrl+W", which, close_scene, false,
       any_to_close},
      {"activate",
       kGroup,
       "choose the scene that edits act on",
       "",
       {{"SCENE", "its name, or its number in the list"}},
       activate_scene},
      {"show", kGroup, "show a scene", "", which, show_scene},
      {"hide", kGroup, "hide a scene", "", which, hide_scene},
      {"toggle", kGroup, "show or hide a scene", "", which, toggle_scene},
  };
}

}  // namespace mote
