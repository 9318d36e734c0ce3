// Actions of the window: its parts and its input.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/jobs/picture_memory.h"
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/session.h"
#include "core/image.h"
#include "core/options.h"
#include "core/spelling.h"

namespace mote {
namespace {

using Kind = InputEvent::Kind;

WindowState& window_of(Session& session, std::string_view action) {
  if (!session.window.is_there) {
    throw UsageError("there is no window", std::string(action),
                     "leave --offscreen out, or the line");
  }
  return session.window;
}

void add_event(Session& session, std::string_view action, InputEvent event) {
  window_of(session, action).events.push_back(std::move(event));
}

/// Makes a script wait until the window has laid out its parts, since the size of the view is known
/// only then.
void await_layout(Session& session) {
  if (session.window.is_there) session.window.frames_due = std::max(1, session.window.frames_due);
}

/// Throws UsageError if no panel of the list has that name.
const PanelEntry& find_panel(const std::vector<const PanelEntry*>& panels, std::string_view name) {
  std::vector<std::string> names;
  for (const PanelEntry* panel : panels) {
    if (panel->name == name) return *panel;
    names.emplace_back(panel->name);
  }
  throw UsageError(fmt::format("'{}' is not a panel", name), "panel",
                   names.empty() ? "this viewer has no window" : "name one of " + listed(names));
}

void panel(Session& session, const Arguments& arguments) {
  const PanelEntry& entry = find_panel(session.panels, arguments.word(0));
  const PanelEntry*& place =
      entry.place == PanelPlace::side ? session.window.side : session.window.drawer;
  const bool open = arguments.has(1) ? arguments.on_or_off(1) : place != &entry;
  if (open) {
    place = &entry;
  } else if (place == &entry) {
    place = nullptr;
  }
  await_layout(session);
}

void tool(Session& session, const Arguments& arguments) {
  session.view.tool = choice_of<Tool>(arguments, 0, kToolNames);
}

template <Tool TOOL>
void choose_tool(Session& session, const Arguments&) {
  session.view.tool = TOOL;
}

void help(Session& session, const Arguments&) {
  session.window.help = !session.window.help;
}

void view_only(Session& session, const Arguments&) {
  session.window.view_only = !session.window.view_only;
  await_layout(session);
}

void next_part(Session& session, const Arguments&) {
  ++window_of(session, "window part next").part_steps;
}

void previous_part(Session& session, const Arguments&) {
  --window_of(session, "window part previous").part_steps;
}

void pointer_keys(Session& session, const Arguments&) {
  ++window_of(session, "window pointer").pointer_requests;
  session.notices.add(
      NoticeKind::info,
      "Arrow keys move the pointer, Enter clicks, Space holds the button or releases "
      "it, Escape ends");
}

void open_menu(Session& session, const Arguments&) {
  ++window_of(session, "window menu").menu_requests;
}

void full_screen(Session& session, const Arguments&) {
  window_of(session, "window full").orders.push_back({.kind = WindowOrder::Kind::full_screen});
}

void minimise(Session& session, const Arguments&) {
  window_of(session, "window minimise").orders.push_back({.kind = WindowOrder::Kind::minimise});
}

void restore(Session& session, const Arguments&) {
  window_of(session, "window restore").orders.push_back({.kind = WindowOrder::Kind::restore});
}

void window_size(Session& session, const Arguments& arguments) {
  constexpr int kLeast_px = 64;
  for (std::size_t i = 0; i < 2; ++i) {
    if (arguments.whole(i) < kLeast_px || arguments.whole(i) > kMaxImageSide) {
      arguments.refuse(i,
                       fmt::format("a number of pixels from {} to {}", kLeast_px, kMaxImageSide));
    }
  }
  check_picture_memory({arguments.whole(0), arguments.whole(1), kViewBytesPerPixel}, "window size");
  window_of(session, "window size")
      .orders.push_back({WindowOrder::Kind::resize, arguments.whole(0), arguments.whole(1)});
}

void window_screenshot(Session& session, const Arguments& arguments) {
  window_of(session, "screenshot window")
      .screenshots.push_back(named_file(session, arguments.word(0)));
}

void pointer(Session& session, const Arguments& arguments) {
  add_event(session, "pointer",
            {.kind = Kind::pointer_move, .x = arguments.number(0), .y = arguments.number(1)});
}

/// The frontmost element with the name.
const NamedPlace& place_named(const Session& session, const Arguments& arguments) {
  const std::vector<NamedPlace>& places = session.window.places;
  const std::string name = arguments.word(0);
  const auto found = std::find_if(places.rbegin(), places.rend(),
                                  [&](const NamedPlace& place) { return place.name == name; });
  if (found != places.rend()) return *found;
  std::vector<std::string> names;
  for (const NamedPlace& place : places) names.push_back(place.name);
  const std::string meant = nearest_name(name, names);
  throw UsageError(fmt::format("no visible element of the window has the name '{}'", name),
                   "pointer at",
                   meant.empty() ? "open its panel, and scroll to it if necessary"
                                 : fmt::format("did you mean '{}'?", meant));
}

void pointer_at(Session& session, const Arguments& arguments) {
  window_of(session, "pointer at");
  const NamedPlace& place = place_named(session, arguments);
  const double right = arguments.number_or(1, 0.5), down = arguments.number_or(2, 0.5);
  add_event(session, "pointer at",
            {.kind = Kind::pointer_move,
             .x = static_cast<double>(place.x) + right * static_cast<double>(place.width),
             .y = static_cast<double>(place.y) + down * static_cast<double>(place.height)});
}

PointerButton button_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 3> kNames{"left", "right", "middle"};
  return choice_of<PointerButton>(arguments, 0, kNames);
}

void press(Session& session, const Arguments& arguments) {
  add_event(session, "pointer press", {.kind = Kind::button_press, .button = button_of(arguments)});
}

void release(Session& session, const Arguments& arguments) {
  add_event(session, "pointer release",
            {.kind = Kind::button_release, .button = button_of(arguments)});
}

void click(Session& session, const Arguments& arguments) {
  const int times = arguments.has(1) ? arguments.whole(1) : 1;
  for (int i = 0; i < times; ++i) {
    press(session, arguments);
    release(session, arguments);
  }
}

void scroll(Session& session, const Arguments& arguments) {
  add_event(session, "pointer scroll", {.kind = Kind::scroll, .y = arguments.number(0)});
}

/// The keys of a chord, in the order of pressing.
std::vector<Key> keys_of(const Arguments& arguments) {
  const Chord chord = parse_chord(arguments.word(0));
  std::vector<Key> keys;
  if (chord.ctrl) keys.push_back(find_key("Ctrl"));
  if (chord.shift) keys.push_back(find_key("Shift"));
  if (chord.alt) keys.push_back(find_key("Alt"));
  keys.push_back(chord.key);
  return keys;
}

void hold_key(Session& session, const Arguments& arguments) {
  for (const Key key : keys_of(arguments)) {
    add_event(session, "key", {.kind = Kind::key_press, .key = key});
  }
}

void release_key(Session& session, const Arguments& arguments) {
  std::vector<Key> keys = keys_of(arguments);
  std::reverse(keys.begin(), keys.end());
  for (const Key key : keys) {
    add_event(session, "key", {.kind = Kind::key_release, .key = key});
  }
}

void key(Session& session, const Arguments& arguments) {
  hold_key(session, arguments);
  release_key(session, arguments);
}

void text(Session& session, const Arguments& arguments) {
  add_event(session, "text",
            {.kind = Kind::text, .text = fmt::format("{}", fmt::join(arguments.words(), " "))});
}

void drop(Session& session, const Arguments& arguments) {
  InputEvent event{.kind = Kind::drop};
  for (const std::string& path : arguments.words()) event.paths.emplace_back(path);
  add_event(session, "drop", std::move(event));
}

/// The tools by their keys. Their names are those of kToolNames.
std::vector<Action> tool_actions() {
  constexpr std::string_view kGroup = "Tools";
  return {
      {"tool navigate", kGroup, "move the camera", "V", {}, choose_tool<Tool::navigate>},
      {"tool rectangle", kGroup, "select a rectangle", "R", {}, choose_tool<Tool::rectangle>},
      {"tool brush", kGroup, "select with a brush", "B", {}, choose_tool<Tool::brush>},
      {"tool lasso", kGroup, "select with a lasso", "L", {}, choose_tool<Tool::lasso>},
      {"tool polygon",
       kGroup,
       "select a polygon by its corners",
       "P",
       {},
       choose_tool<Tool::polygon>},
      {"tool sphere", kGroup, "select a sphere around a place", "O", {}, choose_tool<Tool::sphere>},
      {"tool flood",
       kGroup,
       "select connected splats of a similar colour",
       "C",
       {},
       choose_tool<Tool::flood>},
      {"tool box", kGroup, "move the crop box", "X", {}, choose_tool<Tool::box>},
  };
}

/// Actions that are useful to users, not only to scripts.
std::vector<Action> window_part_actions() {
  constexpr std::string_view kGroup = "Window";
  return {
      {"panel",
       kGroup,
       "open or close a panel",
       "",
       {{"NAME", "of the panel"}, {"on|off", "default: toggle", true}},
       panel},
      {"tool",
       kGroup,
       "choose the tool of the left button in the view",
       "",
       {{"TOOL",
         "navigate, rectangle, brush, lasso, polygon, sphere, flood, box, move, rotate or scale"}},
       tool},
      {"help", kGroup, "show keys and mouse actions", "F1", {}, help},
      {"window view", kGroup, "show only the view, or everything again", "Tab", {}, view_only},
      {"window menu",
       kGroup,
       "open the menus, for the arrow keys, Enter and Escape",
       "F10",
       {},
       open_menu},
      {"window part next",
       kGroup,
       "move the keyboard to the next part of the window, for the arrow keys, Enter and Escape",
       "F6",
       {},
       next_part},
      {"window part previous",
       kGroup,
       "the same in the other direction",
       "Shift+F6",
       {},
       previous_part},
      {"window pointer",
       kGroup,
       "move the pointer with the arrow keys; Enter clicks, Space holds the button, Escape ends",
       "F7",
       {},
       pointer_keys},
      {"window full", kGroup, "enter or leave full screen", "F11", {}, full_screen},
      {"window size",
       kGroup,
       "set the size of the window",
       "",
       {{"WIDTH", "px"}, {"HEIGHT", "px"}},
       window_size},
      {"window minimise", kGroup, "minimise the window", "", {}, minimise},
      {"window restore", kGroup, "restore the minimised window", "", {}, restore},
      {"screenshot window",
       kGroup,
       "write the whole window, panels included, as a PNG",
       "Shift+F12",
       {{"PATH", "a .png", false, false, PathUse::new_file, ".png"}},
       window_screenshot},
  };
}

}  // namespace

std::vector<Action> window_actions() {
  constexpr std::string_view kGroup = "Input, for scripts";
  const std::vector<ActionArgument> which{{"BUTTON", "left, right or middle"}};
  const std::vector<ActionArgument> keys{{"KEY", "such as Ctrl+O"}};
  std::vector<ActionArgument> clicked = which;
  clicked.push_back({"TIMES", "default: 1", true});
  std::vector<Action> all = window_part_actions();
  const std::vector<Action> input{
      {"pointer", kGroup, "move the pointer", "", {{"X", "px"}, {"Y", "px"}}, pointer},
      {"pointer at",
       kGroup,
       "move the pointer to a named element",
       "",
       {{"NAME", "a label, an icon's tooltip, view, panel, drawer, timeline"},
        {"X", "fraction of its width from the left, default: 0.5", true},
        {"Y", "fraction of its height from the top, default: 0.5", true}},
       pointer_at},
      {"pointer press", kGroup, "press a button and hold it", "", which, press},
      {"pointer release", kGroup, "release a button", "", which, release},
      {"pointer click", kGroup, "click a button", "", clicked, click},
      {"pointer scroll",
       kGroup,
       "turn the mouse wheel",
       "",
       {{"STEPS", "up; negative: down"}},
       scroll},
      {"key", kGroup, "press and release a key", "", keys, key},
      {"key hold", kGroup, "press a key and hold it", "", keys, hold_key},
      {"key release", kGroup, "release a key", "", keys, release_key},
      {"text", kGroup, "type text", "", {{"WORDS", "", false, true}}, text},
      {"drop", kGroup, "drop files on the window", "", {{"PATH", "", false, true}}, drop},
  };
  all.insert(all.end(), input.begin(), input.end());
  constexpr std::array<std::string_view, 4> kWithoutWindow{"panel", "tool", "help", "window view"};
  for (Action& action : all) {
    action.needs_window = std::find(kWithoutWindow.begin(), kWithoutWindow.end(), action.name) ==
                          kWithoutWindow.end();
  }
  const std::vector<Action> tools = tool_actions();
  all.insert(all.begin(), tools.begin(), tools.end());
  return all;
}

}  // namespace mote
