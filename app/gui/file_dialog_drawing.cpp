// Draws the dialog for files.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/file_dialog.h"
#include "app/gui/icons.h"
#include "app/gui/input.h"
#include "app/gui/overlays.h"
#include "app/gui/proposed_path.h"
#include "app/gui/widgets.h"
#include "core/machine.h"

namespace mote::gui {
namespace {

namespace fs = std::filesystem;

/// Keys of the field for the name: up and down choose an entry, Tab completes.
int edit_name(ImGuiInputTextCallbackData* data, const FolderListing& listing, bool only_folders) {
  const std::string typed(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  const bool completes = data->EventFlag == ImGuiInputTextFlags_CallbackCompletion;
  const std::string name =
      completes
          ? completed(listing, typed)
          : neighbour(listing, typed, data->EventKey == ImGuiKey_DownArrow ? 1 : -1, only_folders);
  if (name.empty() || name == typed) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, name.c_str());
  return 0;
}

/// Whether the dialog waits for the file. Pictures of the window would show it, and videos take
/// long.
bool waits_for_file(const Action& action) {
  return action.name == "export" || action.name == "path save";
}

float button_width(const char* label) {
  return std::max(7 * ImGui::GetFontSize(), ImGui::CalcTextSize(label).x + ImGui::GetFontSize());
}

}  // namespace

void FileDialog::draw(const PanelContext& context) {
  take_answers();
  if (!open_) return;
  const std::string title = title_ + "###files";
  if (just_opened_) ImGui::OpenPopup(title.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({0.5f * display.x, 0.5f * display.y}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(46 * em, 0.9f * display.x), std::min(32 * em, 0.9f * display.y)});
  if (!ImGui::BeginPopupModal(
          title.c_str(), &open_,
          ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    open_ = false;  // closed by another popup
    return;
  }
  draw_parts(context);
  follow_writing(context);
  if (open_ && !just_opened_ && pressed({find_key("Escape")})) {
    if (new_folder_) {
      new_folder_.reset();
    } else if (doubted_.empty()) {
      close();
    } else {
      doubted_.clear();
    }
  }
  if (chosen_) {
    ActionCall call = call_;
    call.add(chosen_->string());
    const fs::path folder = *chosen_ == folder_ ? folder_ : chosen_->parent_path();
    context.actions.add("folder", folder.string());
    context.actions.add(call);
    if (waits_for_file(*call_.action)) {
      faults_before_ = context.session.notices.errors();
      writing_ = std::exchange(chosen_, {});
    } else {
      close();
    }
  }
  just_opened_ = false;
  ImGui::EndPopup();
}

void FileDialog::draw_parts(const PanelContext& context) {
  const bool in_doubt = !doubted_.empty();
  ImGui::BeginDisabled(in_doubt || writing_);
  draw_places(context);
  draw_list(context);
  ImGui::EndDisabled();
  if (writing_) {
    draw_writing(context);
  } else if (in_doubt) {
    draw_doubt(context);
  } else if (new_folder_) {
    draw_new_folder(context);
  } else {
    draw_foot(context);
  }
}

void FileDialog::draw_places(const PanelContext& context) {
  if (ImGui::Button(icons::kLevelUp)) go_to(folder_.parent_path());
  context.places.add("The folder above");
  tooltip(context, "The folder above");
  ImGui::SameLine();
  if (ImGui::Button(icons::kHome)) go_to(home_folder());
  tooltip(context, "Home");
  ImGui::SameLine();
  draw_recent(context);
  if (writes()) {
    if (ImGui::Button(icons::kPlus)) new_folder_.emplace();
    context.places.add("New folder");
    tooltip(context, "New folder");
    ImGui::SameLine();
  }
  ImGui::SetNextItemWidth(-ImGui::GetFrameHeight() - 4 * ImGui::GetFontSize());
  if (ImGui::InputText("##folder", &folder_text_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    go_to(folder_text_);
  }
  context.places.add("Folder");
  ImGui::SameLine();
  if (ImGui::Checkbox("Hidden", &hidden_)) go_to(folder_);
  context.places.add("Hidden");
}

/// A menu of the folders of recent files.
void FileDialog::draw_recent(const PanelContext& context) {
  const std::vector<fs::path> folders = folders_of(context.session.file.recent());
  ImGui::BeginDisabled(folders.empty());
  const bool open = ImGui::BeginCombo("##recent", "", ImGuiComboFlags_NoPreview);
  context.places.add("Recent folders");
  if (open) {
    for (const fs::path& folder : folders) {
      if (ImGui::Selectable(folder.c_str())) go_to(folder);
      context.places.add(folder.string());
    }
    ImGui::EndCombo();
  } else {
    tooltip(context, "Recent folders");
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
}

void FileDialog::draw_list(const PanelContext& context) {
  float foot = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  if (!doubted_.empty()) {
    foot += ImGui::CalcTextSize(doubt_.c_str(), nullptr, false, ImGui::GetContentRegionAvail().x).y;
  }
  ImGui::BeginChild("list", {0, -foot}, false, kInnerPart);
  if (!listing_.fault.empty()) {
    note(context, listing_.fault);
  } else if (listing_.entries.empty()) {
    note(context, settled() ? "This folder is empty." : "Reading ...");
  }
  draw_entries(context);
  ImGui::EndChild();
}

void FileDialog::draw_entries(const PanelContext& context) {
  fs::path next;
  for (const FolderEntry& entry : listing_.entries) {
    const std::string label =
        icon_label(entry.folder ? icons::kFolder : icons::kFile, entry.name) + "##entry";
    const bool fits = entry.folder ? takes_folders() : use_ != PathUse::new_folder;
    if (ImGui::Selectable(
            label.c_str(), entry.name == name_,
            ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
      if (fits) name_ = entry.name;
    }
    if (ImGui::IsItemHovered() && double_clicked()) {
      if (entry.folder) next = folder_ / entry.name;
      if (!entry.folder && fits) want(context, folder_ / entry.name);
    }
    context.places.add(label);
    if (entry.folder) continue;
    const std::string size = bytes_text(entry.bytes);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(size.c_str()).x -
                    ImGui::GetStyle().FramePadding.x);
    ImGui::TextColored(context.theme.faint, "%s", size.c_str());
  }
  if (next.empty()) return;
  if (use_ != PathUse::new_file) name_.clear();
  go_to(next);
}

void FileDialog::draw_foot(const PanelContext& context) {
  const bool here = name_.empty() && takes_folders();  // the listed folder itself
  const char* label =
      writes() ? (here ? "Save in this folder" : "Save") : (here ? "Open this folder" : "Open");
  const char* hint = use_ == PathUse::new_file     ? "Name of the file"
                     : use_ == PathUse::new_folder ? "Name of a folder, which may be a new one"
                     : takes_folders()             ? "File or folder"
                                                   : "File";
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(-button_width(label) - button_width("Cancel") - 2 * spacing);
  const bool entered = draw_name(hint) && !name_.empty();
  context.places.add("Name");
  ImGui::SameLine();
  ImGui::BeginDisabled((name_.empty() && !here) || !settled());
  const bool taken = ImGui::Button(label, {button_width(label), 0});
  context.places.add(label);
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel", {button_width("Cancel"), 0});
  context.places.add("Cancel");
  if (cancelled) {
    close();
  } else if (entered && !writes()) {
    enter(folder_ / name_);
  } else if (entered || taken) {
    want(context, here ? folder_ : folder_ / name_);
  }
}

/// The field for the name. Returns true on Enter.
bool FileDialog::draw_name(const char* hint) {
  constexpr auto kFlags = ImGuiInputTextFlags_EnterReturnsTrue |
                          ImGuiInputTextFlags_CallbackHistory |
                          ImGuiInputTextFlags_CallbackCompletion;
  const auto edit = [](ImGuiInputTextCallbackData* data) {
    const auto* dialog = static_cast<const FileDialog*>(data->UserData);
    return edit_name(data, dialog->listing_, dialog->use_ == PathUse::new_folder);
  };
  if (just_opened_) ImGui::SetKeyboardFocusHere();
  return ImGui::InputTextWithHint("##name", hint, &name_, kFlags, edit, this);
}

/// Replaces the foot: asks for the name of a new folder in the listed one.
void FileDialog::draw_new_folder(const PanelContext& context) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(-button_width("Create") - button_width("Cancel") - 2 * gap);
  if (new_folder_->empty() && !ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputTextWithHint("##new folder", "Name of the new folder", &*new_folder_,
                               ImGuiInputTextFlags_EnterReturnsTrue);
  context.places.add("Name of the new folder");
  ImGui::SameLine();
  ImGui::BeginDisabled(new_folder_->empty());
  const bool taken = ImGui::Button("Create", {button_width("Create"), 0});
  ImGui::EndDisabled();
  context.places.add("Create");
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel", {button_width("Cancel"), 0});
  if ((entered || taken) && !new_folder_->empty()) make_folder(*new_folder_);
  if (entered || taken || cancelled) new_folder_.reset();
}

/// Replaces the foot while the file is written.
void FileDialog::draw_writing(const PanelContext& context) {
  ImGui::AlignTextToFramePadding();
  ImGui::Text("Writing %s ...", writing_->filename().c_str());
  const char* label = "Continue in the background";
  ImGui::SameLine(ImGui::GetContentRegionMax().x - button_width(label));
  if (ImGui::Button(label, {button_width(label), 0})) close();
  context.places.add(label);
}

/// Replaces the foot: asks about the existing path.
void FileDialog::draw_doubt(const PanelContext& context) {
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(doubt_.c_str());
  ImGui::PopTextWrapPos();
  context.places.add(doubt_);
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float right = ImGui::GetContentRegionMax().x;
  ImGui::SetCursorPosX(right - button_width("Replace") - button_width("Back") - gap);
  ImGui::BeginDisabled(!replaceable_);
  const bool replaced = ImGui::Button("Replace", {button_width("Replace"), 0});
  ImGui::EndDisabled();
  context.places.add("Replace");
  ImGui::SameLine();
  const bool back = ImGui::Button("Back", {button_width("Back"), 0});
  context.places.add("Back");
  if (replaced) chosen_ = doubted_;
  if (replaced || back) doubted_.clear();
}

}  // namespace mote::gui
