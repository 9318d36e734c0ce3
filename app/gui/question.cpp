#include "app/gui/question.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/gui/input.h"
#include "app/gui/widgets.h"
#include "app/viewer/actions/losses.h"

namespace mote::gui {
namespace {

/// Texts of the question about an action that discards something.
struct Words {
  std::string_view action;
  const char* title;
  const char* agreed;  // label of the confirming button
};
constexpr Words kWords[] = {
    {"quit", "Quit?", "Quit without saving"},
    {"close", "Close the scene?", "Close without saving"},
    {"open", "Open another project?", "Open without saving"},
    {"project open", "Open another project?", "Open without saving"},
    {"project recover", "Open another project?", "Open without saving"},
    {"path clear", "Clear the path?", "Clear it"},
    {"path open", "Open another path?", "Open without saving"},
    {"path save", "Replace the file?", "Replace it"},
};
constexpr Words kOther{"", "Continue?", "Continue"};

const Words& words_for(const ActionCall& call) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords), [&](const Words& words) {
    return call.action->name == words.action;
  });
  return found == std::end(kWords) ? kOther : *found;
}

}  // namespace

bool Question::allows(const Session& session, const ActionCall& call) {
  if (call == agreed_) {
    agreed_ = {};
    return true;
  }
  std::vector<std::string> lost = losses(session, call);
  if (lost.empty()) return true;
  if (open_) return false;
  call_ = call;
  losses_ = std::move(lost);
  const Document* scene = scene_lost(session, call);
  scene_ = scene != nullptr ? scene->name : "";
  path_ = path_lost(session, call);
  project_ = closes_all(call);
  after_ = {};
  open_ = just_opened_ = true;
  return false;
}

void Question::close() {
  open_ = false;
  ImGui::CloseCurrentPopup();
}

void Question::draw(const PanelContext& context, bool asking) {
  follow_saving(context, asking);
  if (!open_) return;
  const std::string title = std::string(words_for(call_).title) + "###question";
  if (just_opened_) ImGui::OpenPopup(title.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5f * display.x, 0.5f * display.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(32 * ImGui::GetFontSize(), 0.9f * display.x), 0});
  if (!ImGui::BeginPopupModal(
          title.c_str(), &open_,
          ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    open_ = false;  // closed by another popup
    return;
  }
  ImGui::TextUnformatted("Unsaved changes will be lost:");
  for (const std::string& loss : losses_) {
    ImGui::Bullet();
    ImGui::TextWrapped("%s", loss.c_str());
    context.places.add(loss);
  }
  ImGui::Dummy({0, 6 * context.theme.unit});
  draw_buttons(context);
  if (!just_opened_ && pressed({find_key("Escape")})) close();
  just_opened_ = false;
  ImGui::EndPopup();
}

void Question::draw_buttons(const PanelContext& context) {
  const char* agree = words_for(call_).agreed;
  const bool agreed = ImGui::Button(agree);
  context.places.add(agree);
  const bool projected = project_ && save_button(context, "Save project");
  const bool exported = !scene_.empty() && save_button(context, "Export ...");
  const bool saved = path_ && save_button(context, "Save the path ...");
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel");
  context.places.add("Cancel");
  if (agreed) {
    agreed_ = call_;
    context.actions.add(call_);
  }
  if (exported) {
    context.actions.add("activate", scene_);
    context.actions.add("export");
  }
  if (saved) context.actions.add("path save");
  if (projected) context.actions.add("project save");
  if (exported || saved || projected) {
    after_ = call_;
    losses_before_ = losses_.size();
    // A project with a file is written without a dialog, perhaps before the next look at it.
    saving_ = projected;
  }
  if (agreed || exported || saved || projected || cancelled) close();
}

bool Question::save_button(const PanelContext& context, const char* label) {
  ImGui::SameLine();
  const bool clicked = ImGui::Button(label);
  context.places.add(label);
  return clicked;
}

/// Requests the action again when the saving has removed a loss; the question then asks for the
/// rest. Forgets the action if the user has given up the saving, or if it failed.
void Question::follow_saving(const PanelContext& context, bool asking) {
  if (after_.action == nullptr) return;
  const bool busy = asking || context.session.saving || context.session.has_tasks();
  saving_ |= busy;
  if (!saving_ || busy) return;
  if (losses(context.session, after_).size() < losses_before_) context.actions.add(after_);
  after_ = {};
}

}  // namespace mote::gui
