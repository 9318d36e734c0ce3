#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/gui/host.h"

namespace mote {

/// A desktop window with a callback that acts as its user.
class AttendedHost : public gui::Host {
 public:
  /// `attend`: called before each poll, with the events of the previous poll.
  AttendedHost(int width, int height,
               std::function<void(const std::vector<InputEvent>& events)> attend)
      : host_(gui::open_window(width, height)), attend_(std::move(attend)) {}

  void poll(double wait_s, std::vector<InputEvent>& events) override {
    attend_(events_);
    const std::size_t known = events.size();
    host_->poll(events.empty() ? wait_s : 0, events);
    events_.assign(events.begin() + static_cast<std::ptrdiff_t>(known), events.end());
  }
  int width() const override { return host_->width(); }
  int height() const override { return host_->height(); }
  float scale() const override { return host_->scale(); }
  bool is_full_screen() const override { return host_->is_full_screen(); }
  bool take_close() override { return host_->take_close(); }
  void obey(const WindowOrder& order) override { host_->obey(order); }
  void set_title(const std::string& title) override { host_->set_title(title); }
  void set_cursor(gui::Cursor cursor) override { host_->set_cursor(cursor); }
  void set_clipboard(const std::string& text) override { host_->set_clipboard(text); }
  std::string clipboard() override { return host_->clipboard(); }
  std::optional<present::WindowSystem> window_system() override { return host_->window_system(); }

 private:
  std::unique_ptr<gui::Host> host_;
  std::function<void(const std::vector<InputEvent>&)> attend_;
  std::vector<InputEvent> events_;
};

}  // namespace mote
