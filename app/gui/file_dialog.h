#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/gui/folder_listing.h"
#include "app/gui/panel.h"
#include "app/viewer/action.h"
#include "app/viewer/task_worker.h"

namespace mote::gui {

/// Asks for the path that an action lacks: of something that there is, or of a file or a folder to
/// be written, and then once more where something is in its place. The disk is the business of a
/// thread of its own.
class FileDialog {
 public:
  /// Opens it for the line of an action whose path is missing.
  void ask(const std::string& line);
  void give_up() { open_ = false; }
  bool open() const { return open_; }
  /// Nothing is awaited of the disk.
  bool settled() const { return awaited_ == 0; }
  /// Asks for the action once a path is chosen.
  void draw(const PanelContext& context);

 private:
  bool writes() const { return use_ == PathUse::new_file || use_ == PathUse::new_folder; }
  bool takes_folders() const { return use_ != PathUse::file && use_ != PathUse::new_file; }
  void go_to(const std::filesystem::path& folder);
  void want(const PanelContext& context, std::filesystem::path path);
  void judge(const std::filesystem::path& path, const PlaceFacts& facts);
  void await(TaskWorker::Job job);
  void take_answers();
  void draw_parts(const PanelContext& context);
  void draw_places(const PanelContext& context);
  void draw_list(const PanelContext& context);
  void draw_entries(const PanelContext& context);
  void draw_foot(const PanelContext& context);
  void draw_doubt(const PanelContext& context);
  void close();

  bool open_ = false, just_opened_ = false, hidden_ = false;
  std::string line_, title_;
  PathUse use_ = PathUse::none;
  std::string extensions_;        // of ActionArgument
  std::filesystem::path folder_;  // empty until the first time
  FolderListing listing_;         // of it
  std::string name_, folder_text_;
  std::filesystem::path doubted_;                // that may be in the way of something; empty: none
  std::string doubt_;                            // what the user is to know before it goes
  bool replaceable_ = false;                     // it may go
  std::optional<std::filesystem::path> chosen_;  // at the end
  std::uint64_t listed_ = 0;                     // the newest wish for a listing
  int awaited_ = 0;                              // answers of the disk
  TaskWorker disk_;                              // last: its jobs know nothing of the above
};

/// Whether the line is an action that lacks its path, and nothing before it.
bool lacks_path(const std::string& line);

}  // namespace mote::gui
