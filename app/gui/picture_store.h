#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <vector>

#include "app/gui/pictures.h"
#include "present/picture_pass.h"
#include "present/presenter.h"

namespace mote::gui {

/// Pictures on the device. Each is uploaded once, and freed when it has not been shown for some
/// time.
class PictureStore : public Pictures {
 public:
  explicit PictureStore(const present::Presenter& presenter);

  void show(const std::shared_ptr<const Image8>& picture, ImVec2 size) override;
  void stand(ImDrawList& list, std::span<const StandingPicture> pictures) override;

  /// Called before the frame's layout: frees pictures that were not shown recently.
  void begin_frame();
  /// Called after the layout: rethrows an error that prevented a picture from being shown. It is
  /// deferred, since the widgets around it must be completed first.
  void throw_fault();
  /// Whether no picture waits for its upload in one of the next frames.
  bool settled() const { return !waits_; }
  /// Sets the command buffer, before the frame's widgets are recorded.
  void begin_record(VkCommandBuffer commands) { commands_ = commands; }

 private:
  struct Entry {
    std::shared_ptr<const Image8> picture;  // owned, so that its address is not reused
    std::size_t place = 0;                  // index in the pass
    std::uint64_t last_frame = 0;
  };
  /// User data of ImGui's callback for a picture.
  struct Quad {
    PictureStore* store;
    std::size_t place;
    present::PictureCorners corners;
    float opacity;
    present::PictureCells cells = {};
  };
  static void draw_quad(const ImDrawList* list, const ImDrawCmd* command);
  const Entry* entry_of(const std::shared_ptr<const Image8>& picture);
  void add_quad(ImDrawList& list, const Quad& quad);
  void evict_oldest();
  bool copy(const std::shared_ptr<const Image8>& picture);

  present::PicturePass pass_;
  std::map<const Image8*, Entry> entries_;
  std::deque<Quad> quads_;  // of the current frame
  std::uint64_t frame_ = 0;
  int copied_ = 0;                     // number of uploads in this frame
  bool waits_ = false;                 // a picture of this frame is to be uploaded later
  std::uint64_t no_memory_until_ = 0;  // no uploads before this frame
  std::exception_ptr fault_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

}  // namespace mote::gui
