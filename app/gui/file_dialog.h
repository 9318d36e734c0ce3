#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/gui/folder_listing.h"
#include "app/gui/panel.h"
#include "app/viewer/session/action.h"
#include "app/viewer/workers/task_worker.h"

namespace mote::gui {

/// Asks for the missing path of an action: an existing path, or a file or folder to write. Asks
/// again before an existing file is replaced. While a scene or a path is written, the dialog stays
/// open, and then it tells a failure. Disk access is on a separate thread.
class FileDialog {
 public:
  /// Opens the dialog for a call that lacks only its path. It starts in the folder in which a file
  /// was chosen last, also by an earlier run of the program, else in that of the newest recent
  /// file.
  void ask(const Session& session, const ActionCall& call);
  void give_up() { open_ = false; }
  bool open() const { return open_; }
  /// Whether no answer from the disk is pending.
  bool settled() const { return awaited_ == 0; }
  /// Draws the dialog; requests the action when a path is chosen.
  void draw(const PanelContext& context);

 private:
  bool writes() const { return use_ == PathUse::new_file || use_ == PathUse::new_folder; }
  bool takes_folders() const { return use_ != PathUse::file && use_ != PathUse::new_file; }
  void start_in(const std::filesystem::path& folder);
  void go_to(const std::filesystem::path& folder);
  void want(const PanelContext& context, std::filesystem::path path);
  void enter(std::filesystem::path path);
  void make_folder(const std::string& name);
  void draw_recent(const PanelContext& context);
  bool draw_name(const char* hint);
  void judge(const std::filesystem::path& path, const PlaceFacts& facts);
  void await(TaskWorker::Job job);
  void take_answers();
  void draw_parts(const PanelContext& context);
  void draw_places(const PanelContext& context);
  void draw_list(const PanelContext& context);
  void draw_entries(const PanelContext& context);
  void draw_foot(const PanelContext& context);
  void draw_new_folder(const PanelContext& context);
  void draw_doubt(const PanelContext& context);
  void draw_writing(const PanelContext& context);
  void follow_writing(const PanelContext& context);
  void close();

  bool open_ = false, just_opened_ = false, hidden_ = false;
  ActionCall call_;  // without its path
  std::string title_;
  PathUse use_ = PathUse::none;
  std::string extensions_;                 // as in ActionArgument
  std::optional<std::string> new_folder_;  // name being typed for a new folder
  std::filesystem::path folder_;           // empty before the first use
  FolderListing listing_;                  // of folder_
  std::string name_, folder_text_;
  std::filesystem::path doubted_;  // existing path that would be replaced; empty: none
  std::string doubt_;              // warning to the user before it is replaced
  bool replaceable_ = false;       // it may be replaced
  std::optional<std::filesystem::path> chosen_;   // the final choice
  std::optional<std::filesystem::path> writing_;  // the file that the action is writing
  std::uint64_t faults_before_ = 0;               // Notices::errors() before it
  std::uint64_t listed_ = 0;                      // number of the newest request for a listing
  int awaited_ = 0;                               // number of pending answers from the disk
  TaskWorker disk_;                               // last member; its jobs do not use the others
};

/// Whether the call lacks only its path.
bool lacks_path(const ActionCall& call);

}  // namespace mote::gui
