// Camera paths: keyframes from the current view, and the preview.
#include <fmt/format.h>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "core/options.h"

namespace mote {
namespace {

constexpr double kMostSeconds = 86400;

double time_of(const Arguments& arguments, std::size_t i) {
  const double time_s = arguments.number(i);
  if (!(time_s >= 0 && time_s <= kMostSeconds)) {
    arguments.refuse(i, fmt::format("a time from 0 to {} s", kMostSeconds));
  }
  return time_s;
}

/// Converts a keyframe number from 1 to an index from 0.
std::size_t keyframe_number(const Session& session, const Arguments& arguments) {
  require_keyframes(session, "path");
  const std::size_t count = session.path.size();
  const int number = arguments.whole(0);
  if (number < 1 || static_cast<std::size_t>(number) > count) {
    arguments.refuse(0, fmt::format("a keyframe from 1 to {}", count));
  }
  return static_cast<std::size_t>(number - 1);
}

void require_free_time(const PathEditor& path, double time_s, std::optional<std::size_t> except) {
  if (!path.has_time(time_s, except)) return;
  throw UsageError(fmt::format("a keyframe is at {} s already", time_s), "path, TIME",
                   "give another time");
}

void add_keyframe(Session& session, const Arguments& arguments) {
  const std::vector<CameraKeyframe>& keys = session.path.path().keyframes;
  const double after = keys.empty() ? 0 : keys.back().time_s + PathEditor::kUsualGap_s;
  const double time_s = arguments.has(0) ? time_of(arguments, 0) : after;
  require_free_time(session.path, time_s, {});
  PathEditor& path = edited_path(session);
  path.choose(path.add(keyframe_of(session.navigator.camera(), time_s)));
  session.path.seek(time_s);
}

void set_keyframe(Session& session, const Arguments& arguments) {
  const std::size_t number = keyframe_number(session, arguments);
  edited_path(session).replace(number, keyframe_of(session.navigator.camera(), 0));
}

void remove_keyframe(Session& session, const Arguments& arguments) {
  const std::size_t number = keyframe_number(session, arguments);
  edited_path(session).remove(number);
}

void move_in_time(Session& session, const Arguments& arguments, bool continued) {
  const std::size_t number = keyframe_number(session, arguments);
  const double time_s = time_of(arguments, 1);
  require_free_time(session.path, time_s, number);
  edited_path(session).move(number, time_s, continued);
}

void move_keyframe(Session& session, const Arguments& arguments) {
  move_in_time(session, arguments, false);
}

void move_further(Session& session, const Arguments& arguments) {
  move_in_time(session, arguments, true);
}

void set_scene_time(Session& session, const Arguments& arguments) {
  const std::size_t number = keyframe_number(session, arguments);
  std::optional<double> time_s = session.clock.time_s();
  if (arguments.has(1) && arguments.word(1) == "none") {
    time_s.reset();
  } else if (arguments.has(1)) {
    time_s = time_of(arguments, 1);
  }
  edited_path(session).set_scene_time(number, time_s);
}

void undo_path(Session& session, const Arguments&) {
  edited_path(session).undo();
}

void redo_path(Session& session, const Arguments&) {
  edited_path(session).redo();
}

bool any_path_to_undo(const Session& session) {
  return session.path.undo_steps() > 0;
}

bool any_path_to_redo(const Session& session) {
  return session.path.redo_steps() > 0;
}

void choose_keyframe(Session& session, const Arguments& arguments) {
  session.path.choose(keyframe_number(session, arguments));
}

void go(Session& session, const Arguments& arguments) {
  choose_keyframe(session, arguments);
  const CameraKeyframe& key = session.path.path().keyframes[*session.path.chosen()];
  session.path.stop();
  session.path.seek(key.time_s);
  stand_on_path(session, false);
}

void seek_on_path(Session& session, const Arguments& arguments) {
  require_keyframes(session, "path seek");
  session.path.stop();
  session.path.seek(time_of(arguments, 0));
  stand_on_path(session, true);
}

void play_path(Session& session, const Arguments&) {
  require_keyframes(session, "path play");
  session.path.play();
  stand_on_path(session, true);
}

void stop_path(Session& session, const Arguments&) {
  session.path.stop();
}

void closed(Session& session, const Arguments& arguments) {
  edited_path(session).set_loop(arguments.on_or_off(0));
}

void even(Session& session, const Arguments& arguments) {
  edited_path(session).set_constant_speed(arguments.on_or_off(0));
}

void clear_path(Session& session, const Arguments&) {
  edited_path(session).clear();
}

}  // namespace

std::vector<Action> path_actions() {
  constexpr std::string_view kGroup = "Path";
  const std::vector<ActionArgument> keyframe{{"N", "of the keyframe, from 1"}};
  const std::vector<ActionArgument> on_off{{"HOW", "on or off"}};
  return {
      {"path add",
       kGroup,
       "add a keyframe with the current view",
       "K",
       {{"TIME", "s; default: 2 s after the last keyframe", true}},
       add_keyframe},
      {"path set", kGroup, "set a keyframe to the current view", "", keyframe, set_keyframe},
      {"path remove", kGroup, "remove a keyframe", "", keyframe, remove_keyframe},
      {"path move",
       kGroup,
       "change the time of a keyframe",
       "",
       {{"N", "of the keyframe, from 1"}, {"TIME", "s"}},
       move_keyframe},
      {"path further",
       kGroup,
       "the same as part of the last move, as dragging does it",
       "",
       {{"N", "of the keyframe, from 1"}, {"TIME", "s"}},
       move_further},
      {"path scene-time",
       kGroup,
       "show a moving scene at a time of its own at a keyframe",
       "",
       {{"N", "of the keyframe, from 1"}, {"TIME", "s, or none; default: the shown time", true}},
       set_scene_time},
      {"path undo",
       kGroup,
       "undo the last change of the path",
       "",
       {},
       undo_path,
       false,
       any_path_to_undo},
      {"path redo",
       kGroup,
       "redo the last undone change of the path",
       "",
       {},
       redo_path,
       false,
       any_path_to_redo},
      {"path choose", kGroup, "select a keyframe", "", keyframe, choose_keyframe},
      {"path go", kGroup, "move to a keyframe", "", keyframe, go},
      {"path closed", kGroup, "close the path from the last keyframe to the first", "", on_off,
       closed},
      {"path even", kGroup, R"(move at constant speed, regardless of the keyframes' times)", "",
       on_off, even},
      {"path clear", kGroup, "remove all keyframes", "", {}, clear_path},
      {"path play", kGroup, "play the path", "", {}, play_path},
      {"path stop", kGroup, "stop the playback of the path", "", {}, stop_path},
      {"path seek", kGroup, "move to a time on the path", "", {{"TIME", "s"}}, seek_on_path},
  };
}

}  // namespace mote
