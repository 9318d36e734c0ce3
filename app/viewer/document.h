#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/editable_scene.h"
#include "app/viewer/movement.h"
#include "app/viewer/run_facts.h"
#include "scene/camera_path.h"
#include "scene/transform.h"

namespace mote {

/// What a file holds of a scene.
struct SavedState {
  std::uint64_t content = 0;  // as of EditState
  Similarity transform = {};  // that the file's splats have gone through
  bool operator==(const SavedState&) const = default;
};

/// One row of the list of scenes: splats that stand still or move, or a dataset, cameras or a run
/// that has no splats yet.
struct Document {
  std::uint32_t id = 0;   // never used again
  std::string name = {};  // unique among the documents: the file's, with a number if need be
  std::filesystem::path source = {};  // empty where it is under training
  std::string format = {};            // for a person
  /// Workers hold it too; null: none yet, or the scene moves.
  std::shared_ptr<EditableScene> scene = nullptr;
  std::shared_ptr<Movement> movement = nullptr;  // null: it stands still
  EditState edit = {};                           // of either
  SceneExtent extent = {};                       // of the scene as it was opened
  RunFacts run = {};                             // whose splats these are
  Similarity transform = {};                     // from the scene's world to the viewer's
  SavedState saved = {};                         // by the source, or by the last export
  std::uint64_t placements = 0;                  // that edit.placements will reach
  bool shown = true;
  bool training = false;       // splats come from the trainer at work
  std::uint64_t revision = 1;  // grows with every change of what the document looks like
};

/// Whether it was edited or placed since it was opened or exported last.
bool has_unsaved_edits(const Document& document);
/// The extent where the document stands.
SceneExtent placed_extent(const Document& document);
bool is_identity(const Similarity& similarity);
/// First `first`, then `second`.
Similarity chained(const Similarity& first, const Similarity& second);

/// The scenes that are open, in the order of the list on screen. One thread's.
class Documents {
 public:
  /// Takes the document in, with an id and a name of its own; gives the id.
  std::uint32_t add(Document document);
  void remove(std::uint32_t id);
  const std::vector<Document>& list() const { return documents_; }
  bool empty() const { return documents_.empty(); }

  /// Null where there is none.
  const Document* find(std::uint32_t id) const;
  /// By name, or by place in the list counted from 1. Throws UsageError where there is none.
  const Document& named(std::string_view name) const;

  /// What edits and exports act on; null where nothing is open.
  const Document* active() const { return find(active_); }
  void set_active(std::uint32_t id) { active_ = id; }

  // Each makes a new revision where it changes something.
  void set_shown(std::uint32_t id, bool shown);
  void set_transform(std::uint32_t id, const Similarity& transform);
  /// The same, for a placement of which the scene's history is told, too: SplatEditor::place().
  void place(std::uint32_t id, const Similarity& transform);
  /// Also puts the document where its history has it stand, once that knows of every place().
  void set_edit(std::uint32_t id, const EditState& state);
  /// Other splats take the place of all there were, the history of edits included.
  void set_scene(std::uint32_t id, std::shared_ptr<EditableScene> scene, const SceneExtent& extent);
  /// A file holds that of it now.
  void set_saved(std::uint32_t id, const SavedState& saved);
  /// The document is no longer of the trainer at work; its splats lie in the run's folder.
  void end_training(std::uint32_t id, const std::filesystem::path& source);
  /// All splats of this run's folder are told what it says now.
  void set_run(const RunFacts& run);

  /// Of everything shown, together; nothing shown: of everything.
  SceneExtent extent() const;

 private:
  Document& at(std::uint32_t id);
  std::string free_name(const std::string& name) const;

  std::vector<Document> documents_;
  std::uint32_t last_ = 0, active_ = 0;
};

}  // namespace mote
