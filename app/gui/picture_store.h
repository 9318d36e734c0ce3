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

/// Pictures on the device: each is copied once, and forgotten when it has not been shown for long.
class PictureStore : public Pictures {
 public:
  explicit PictureStore(const present::Presenter& presenter);

  void show(const std::shared_ptr<const Image8>& picture, ImVec2 size) override;

  /// Before the frame is laid out: forgets what was not shown for long.
  void begin_frame();
  /// After it: throws what made it impossible to show a picture. The widgets between which that
  /// happened could not be left.
  void throw_fault();
  /// Before the frame's widgets are recorded: where to.
  void begin_record(VkCommandBuffer commands) { commands_ = commands; }

 private:
  struct Entry {
    std::shared_ptr<const Image8> picture;  // so that its address stands for nothing else
    std::size_t place = 0;                  // in the pass
    std::uint64_t last_frame = 0;
  };
  /// What ImGui hands back when it comes to the picture among its commands.
  struct Quad {
    PictureStore* store;
    std::size_t place;
    ImVec2 from, to;
  };
  static void draw_quad(const ImDrawList* list, const ImDrawCmd* command);
  const Entry* entry_of(const std::shared_ptr<const Image8>& picture);
  void make_room();
  bool copy(const std::shared_ptr<const Image8>& picture);

  present::PicturePass pass_;
  std::map<const Image8*, Entry> entries_;
  std::deque<Quad> quads_;  // of this frame
  std::uint64_t frame_ = 0;
  int copied_ = 0;                     // in this frame
  std::uint64_t no_memory_until_ = 0;  // no more are copied before that frame
  std::exception_ptr fault_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

}  // namespace mote::gui
