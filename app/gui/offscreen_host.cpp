// An offscreen window; its only input comes from scripts.
#include <chrono>
#include <thread>

#include "app/gui/host.h"

namespace mote::gui {
namespace {

class OffscreenHost : public Host {
 public:
  OffscreenHost(int width, int height) : width_(width), height_(height) {}

  void poll(double wait_s, std::vector<InputEvent>&) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
  }
  int width() const override { return minimised_ ? 0 : width_; }
  int height() const override { return minimised_ ? 0 : height_; }
  float scale() const override { return 1; }
  bool is_full_screen() const override { return true; }  // its size is not stored
  bool take_close() override { return false; }
  void obey(const WindowOrder& order) override {
    switch (order.kind) {
      case WindowOrder::Kind::resize:
        width_ = order.width;
        height_ = order.height;
        break;
      case WindowOrder::Kind::minimise:
        minimised_ = true;
        break;
      case WindowOrder::Kind::restore:
        minimised_ = false;
        break;
      case WindowOrder::Kind::full_screen:
        break;  // there is no screen to fill
    }
  }
  void set_title(const std::string&) override {}
  void set_cursor(Cursor) override {}
  void set_clipboard(const std::string& text) override { clipboard_ = text; }
  std::string clipboard() override { return clipboard_; }
  std::optional<present::WindowSystem> window_system() override { return {}; }

 private:
  int width_, height_;
  bool minimised_ = false;
  std::string clipboard_;
};

}  // namespace

std::unique_ptr<Host> make_offscreen_host(int width, int height) {
  return std::make_unique<OffscreenHost>(width, height);
}

}  // namespace mote::gui
