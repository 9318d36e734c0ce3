#pragma once

// The window: the viewer's session on the screen, and hands on the viewer.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/gui/frame_view.h"
#include "app/gui/frame_watch.h"
#include "app/gui/gui_renderer.h"
#include "app/gui/host.h"
#include "app/gui/imgui_context.h"
#include "app/gui/input.h"
#include "app/gui/picture_store.h"
#include "app/gui/shell.h"
#include "app/viewer/script.h"
#include "app/viewer/viewer.h"
#include "present/presenter.h"

namespace mote::gui {

struct WindowOptions {
  std::string gpu = "auto";  // as --gpu has it
  bool validation = false;   // Khronos' layers watch, and what they say is an error at the end
  Script* script = nullptr;  // null: none
  bool ends_with_script = false;
  bool keeps_size = true;                // from one start to the next
  std::filesystem::path cache_folder{};  // PresenterOptions::cache_folder
};

/// One thread's, that of the program's start.
class Window {
 public:
  /// Throws Error where Vulkan cannot show anything there, UsageError for an unknown device.
  Window(Viewer& viewer, std::unique_ptr<Host> host, WindowOptions options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Until the user, or the script, has quit and what must be saved is. Throws what the script
  /// does, and Error where what shows the window is lost again and again.
  void run();

  /// What the validation layers have to say, when the window goes included.
  std::shared_ptr<const present::ValidationLog> validation() const { return validation_; }

 private:
  void step(double wait_s);
  bool done() const;
  void start_presenting();
  void recover(const Error& fault);
  void apply_look();
  void take_orders();
  void take_input();
  void ask_to_quit();
  void end_session();
  void keep_size();
  bool is_hidden() const { return host_->width() == 0 || host_->height() == 0; }
  bool wants_frame(double now) const;
  void draw_frame();
  void lay_out();
  void show();
  void answer(const std::vector<AskedLine>& lines);
  void do_line(const std::string& line, bool by_key);
  void write_screenshots();
  Image8 capture(const std::filesystem::path& path);
  present::DrawRequest request();
  void show_title();
  void show_cursor();

  Viewer& viewer_;
  std::unique_ptr<Host> host_;
  WindowOptions options_;
  ImguiContext imgui_;
  Input input_;
  Theme theme_;
  std::string look_;  // what theme_ was made of
  std::shared_ptr<present::ValidationLog> validation_ =
      std::make_shared<present::ValidationLog>();  // of all presenters
  std::unique_ptr<present::Presenter> presenter_;
  std::unique_ptr<PictureStore> pictures_;
  std::unique_ptr<GuiRenderer> renderer_;
  GuiLayers layers_;  // of the frame that was laid out last
  FrameView frame_view_{viewer_.sharing()};
  Shell shell_;
  ActionQueue actions_;
  Places places_;
  FrameWatch watch_{viewer_.window()};
  double last_s_ = 0, last_drawn_s_ = 0, imgui_time_s_ = 0;
  std::uint64_t drawn_picture_ = 0;  // that was drawn last, whether or not it came to be shown
  int width_ = 0, height_ = 0;       // that were drawn last
  bool undrawn_ = false;             // the last frame did not come to be shown
  int losses_ = 0;                   // of what shows the window, one after the other
  struct AwaitedSize {
    int width = 0, height = 0;
    double until_s = 0;
  };
  std::optional<AwaitedSize> awaited_size_;  // that the window system was asked for
  bool ending_ = false, hurried_ = false, leaving_ = false;
};

}  // namespace mote::gui
